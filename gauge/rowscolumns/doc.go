// Package rowscolumns holds sums of ℓ∞ norms over overlapping groups of entries: over all rows and columns, where solutions
// select some of each, and over given groups, such as the nodes of a tree or the windows of a grid.
//
//	κ(W) = Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞          Gauge
//	κ(W) = Σ_g w_g ‖W_g‖_∞                       Groups
//
// The atoms are signs on a set of entries, over the weight of the groups that it meets. So the polar is a densest subgraph,
//
//	κ°(G) = max over sets T of entries of Σ_T |G_ij| / Σ {w_g : g meets T}
//
// By weak duality any split of the |G_ij| among the groups that have them bounds it, κ° ≤ max_g load_g / w_g. The best split is
// found by maximum flows, one for each step of Dinkelbach's: value and bound are the same but for rounding. Sources: Mairal,
// Jenatton, Obozinski, Bach, JMLR 2011; Goldberg 1984; Charikar 2000 for peeling; Cheung and Lou, IJCAI 2015, for the use.
package rowscolumns
