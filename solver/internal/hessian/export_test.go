package hessian

// ByClass forms H of dense classes with one product for each pair of classes.
func (c *assembly) ByClass(class Groups) { c.classProducts(class) }

// ByFeature forms it with one product for each pair of features.
func (c *assembly) ByFeature(feature, class Groups) { c.featureProducts(feature, class) }
