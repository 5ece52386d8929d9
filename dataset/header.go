package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// A role is what a column of ratings is.
type role int

const (
	userRole role = iota
	itemRole
	ratingRole
	timeRole
	weightRole
	offsetRole
	roles
)

var roleNames = [roles]string{"user", "item", "rating", "time", "weight", "offset"}

// A places is the column of each role, -1 for none.
type places [roles]int

func noPlaces() places { return places{-1, -1, -1, -1, -1, -1} }

// tradeWords are what columns of users, items, ratings and times are called where such data come from. Of one role the groups go
// before each other.
var tradeWords = [4][]string{
	{"user uid customer reviewer rater member account visitor client buyer shopper consumer subscriber viewer listener reader " +
		"player guest patron student person people respondent judge critic author usr cust profile cookie device household " +
		"session usuario utilisateur benutzer kunde cliente utente u",
		"row from source src"},
	{"item iid product prod asin sku isbn ean upc movie film book track song artist album recipe game app video article news " +
		"story ad anime manga show series program episode podcast restaurant business place venue poi location hotel beer wine " +
		"joke course paper document doc url page site merchant store shop good service content music title " +
		"artikel producto produit produkt pelicula livre libro buch",
		"column col to target dst i j"},
	{"rating stars star score overall grade mark vote preference opinion bewertung puntuacion calificacion nota voto",
		"value val response entry note", "count counts plays play playcount listens clicks click views view visits purchases " +
			"quantity qty frequency freq occurrences interactions weight"},
	{"timestamp ts unixtime epoch unix", "time datetime date day when created utc fecha datum"},
}

// ofIDs are words that say of a column that it has ids.
var ofIDs = strings.Fields("id ids key code no nr number hash idx index guid uuid asin sku isbn ean upc uid iid")

// ofNames are words that say of a column that it has names, which stand for ids where there are none.
var ofNames = strings.Fields("name names title nick login email handle")

// derived are words of columns that are no rating but made of some.
var derived = strings.Fields("avg average mean median num total std sum min max predicted prediction pred rank")

// trade is the role and the group of each word.
var trade = func() map[string][2]int {
	of := map[string][2]int{}
	for r, groups := range tradeWords {
		for g, list := range groups {
			for _, w := range strings.Fields(list) {
				of[w] = [2]int{r, g}
			}
		}
	}
	return of
}()

// parts are the words of a name, in lower case: user_id, userId and "User ID" have two.
func parts(name string) (list []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			list, word = append(list, strings.ToLower(string(word))), nil
		}
	}
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			end()
			continue
		}
		if n := len(word); n > 0 && unicode.IsUpper(c) && unicode.IsLower(word[n-1]) {
			end()
		}
		word = append(word, c)
	}
	end()
	return list
}

// roleOf is what a name says that its column is; the smaller the rank, the plainer. ok is false where it says nothing.
func roleOf(name string) (r role, rank int, ok bool) {
	words := parts(name)
	ids, names := false, false
	var left []string
	for k, w := range words {
		stem, isID := strings.CutSuffix(w, "id")
		if _, known := trade[stem]; isID && known { // userid
			w, ids = stem, true
		}
		ids = ids || slices.Contains(ofIDs, w)
		switch _, known := trade[w]; {
		case slices.Contains(derived, w):
			return 0, 0, false
		case !known && slices.Contains(ofIDs, w):
		case slices.Contains(ofNames, w) && len(words) > 1 && k > 0, w == "title":
			names = true
			if w == "title" && len(words) == 1 {
				left = append(left, w)
			}
		default:
			left = append(left, w)
		}
	}
	if len(left) == 0 {
		return 0, 0, false
	}
	of, ok := trade[left[len(left)-1]]
	if !ok {
		of, ok = trade[strings.TrimSuffix(strings.TrimSuffix(left[len(left)-1], "name"), "s")]
	}
	if !ok && (left[len(left)-1] == "at" || left[len(left)-1] == "on") { // created_at
		of, ok = [2]int{int(timeRole), 1}, len(left) > 1
	}
	if !ok {
		return 0, 0, false
	}
	r, rank = role(of[0]), 3*of[1]+1
	if r <= itemRole && ids || r > itemRole && strings.EqualFold(name, roleNames[r]) {
		rank--
	}
	if r <= itemRole && names {
		rank++
	}
	return r, rank, !(names && r > itemRole)
}

// rolesOf finds the columns that their names say are users, items, ratings and times. tied names two columns of one role that
// nothing tells apart, whose column is none then.
func rolesOf(names []string) (at places, tied [roles]string) {
	at = noPlaces()
	var best [roles]int
	for c, name := range names {
		r, rank, ok := roleOf(name)
		switch {
		case name == "i" && slices.Contains(names, "j"): // of an entry (i, j)
			at[userRole] = c
		case !ok:
		case at[r] < 0 && tied[r] == "" || rank < best[r]:
			at[r], best[r], tied[r] = c, rank, ""
		case rank == best[r] && at[r] >= 0:
			tied[r] = fmt.Sprintf("%q and %q", names[at[r]], name)
		}
	}
	for r := range tied {
		if tied[r] != "" {
			at[r] = -1
		}
	}
	return at, tied
}

// headsRatings says whether a first line of ratings names its columns, of which rating is one, or -1. next is the line below. A
// number is no name, and ids may be words of the trade: a user and an item are both named, or one of them for certain, or a
// word stands for a rating, or above a number where ratings are any text.
func headsRatings(names, next []string, rating int, anyText bool) bool {
	if slices.ContainsFunc(names, looksLikeNumber) {
		return false
	}
	called := func(r role, plain bool) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			of, rank, ok := roleOf(name)
			return ok && of == r && (!plain || rank == 0 || strings.EqualFold(name, roleNames[r]))
		})
	}
	switch {
	case called(userRole, false) && called(itemRole, false):
		return true
	case (called(userRole, true) || called(itemRole, true)) && (rating < 0 || rating < len(names) && namesColumn(names[rating])):
		return true
	}
	for c, name := range names {
		if namesColumn(name) && (c == rating && !anyText || c < len(next) && looksLikeNumber(next[c])) {
			return true
		}
	}
	return false
}

// NamesUsers says whether a text is a usual name of a column of users.
func NamesUsers(text string) bool {
	r, _, ok := roleOf(text)
	return ok && r == userRole
}

// namesColumn says whether a text may do so: not if it is missing or begins like a number, which is a value to mend, lest a row
// is lost.
func namesColumn(s string) bool { return !Missing(s) && !startsLikeNumber(s) && !looksLikeNumber(s) }

func looksLikeNumber(s string) bool { _, ok := text.Number(s); return ok }

func startsLikeNumber(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-' || s[0] == '+' || s[0] == '.')
}

// Absent says that there is no column of a name, with the names that there are, the nearest first.
func Absent(want string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("has no column %q, as it has no header", text.Clip([]byte(want)))
	}
	const most = 20
	list := slices.Clone(names)
	if len(list) > most {
		slices.SortStableFunc(list, func(a, b string) int { return distance(want, a) - distance(want, b) })
		list = list[:most]
	}
	near := slices.MinFunc(list, func(a, b string) int { return distance(want, a) - distance(want, b) })
	for k, name := range list {
		list[k] = fmt.Sprintf("%q", text.Clip([]byte(name)))
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(", … (%d in all)", len(names))
	}
	mean := ""
	if distance(want, near) <= len(want)/3 {
		mean = fmt.Sprintf(" (did you mean %q?)", text.Clip([]byte(near)))
	}
	return fmt.Sprintf("has no column %q%s; there are %s%s", text.Clip([]byte(want)), mean, strings.Join(list, ", "), more)
}

// distance is the number of letters that are to be changed, put in or left out, whatever their case and what is between words.
func distance(a, b string) int {
	a, b = strings.Join(parts(a), ""), strings.Join(parts(b), "")
	return text.EditDistance(a[:min(len(a), 64)], b[:min(len(b), 64)])
}
