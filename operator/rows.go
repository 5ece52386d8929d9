package operator

import "fmt"

// checkOffsets refuses offsets that do not cut cols into m rows.
func checkOffsets(m, n int, ptr []int64, cols []int32) error {
	if m < 1 || n < 1 || len(ptr) != m+1 || ptr[0] != 0 || ptr[m] != int64(len(cols)) {
		return fmt.Errorf("operator: a %d×%d matrix by rows needs %d row offsets from 0 to %d", m, n, m+1, len(cols))
	}
	for i := range m {
		if ptr[i] > ptr[i+1] || ptr[i+1] > int64(len(cols)) {
			return fmt.Errorf("operator: the row offsets descend at row %d", i+1)
		}
	}
	return nil
}

// checkRows refuses what is not m compressed rows of strictly ascending columns below n.
func checkRows(m, n int, ptr []int64, cols []int32) error {
	if err := checkOffsets(m, n, ptr, cols); err != nil {
		return err
	}
	for i := range m {
		last := int32(-1)
		for _, j := range cols[ptr[i]:ptr[i+1]] {
			if j <= last || int(j) >= n {
				return fmt.Errorf("operator: row %d has column %d after %d; columns ascend from 1 to %d", i+1, j+1, last+1, n)
			}
			last = j
		}
	}
	return nil
}

// fromZero appends the offsets ptr to dst, counted from the first of them.
func fromZero(dst, ptr []int64) []int64 {
	for _, at := range ptr {
		dst = append(dst, at-ptr[0])
	}
	return dst
}
