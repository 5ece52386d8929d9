// Package parquet reads and writes tables in Apache Parquet's format. A program that imports it has its tables taken wherever
// package dataset takes a table (a .parquet file, a folder of them or a pattern such as "2024-*.parquet"), and written wherever
// dataset.Records are.
//
// parquet.go opens files and reads their row groups in parallel, in order; column.go makes plain values of a column's pages;
// write.go writes.
package parquet
