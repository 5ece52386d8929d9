package linalg

// Epsilon is a little more than 2⁻⁵³, half the distance from 1 to the next float64.
const Epsilon = 1.2e-16
