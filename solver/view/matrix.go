package view

const (
	MaxMatrix   = 1 << 24 // entries of a W that is kept as a matrix
	FewProducts = 150     // that a model may take before H is worth forming, or more
	WideBlock   = 1000    // entries of a block whose matrix takes longer than many products, be it that of a part alone
	SparseTime  = 20.0    // of a term of H, in flops of products that are dense: sparse ones take fewer
)
