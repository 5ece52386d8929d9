package cli

import (
	"strings"

	"github.com/seed-b18ef778/gcg/internal/gaugeword"
	"github.com/seed-b18ef778/gcg/internal/second"
	"github.com/seed-b18ef778/gcg/task"
)

// A group is a part of the help.
type group int

const (
	first group = iota
	data
	problem
	choosing
	results
	effort
	solvers
)

// groupTitles are in the order of the help.
var groupTitles = []string{"What most people need", "The data", "The problem", "Choosing λ", "Output", "How long and how exact",
	"For those who compare solvers"}

// shared are the problems whose λ is the weight of a gauge; ratios is their λ as a part of λ_max.
const (
	shared = "completion classification multitask regression multiview recovery rpca cur"
	gauged = "completion classification multitask regression multiview recovery rpca"
)

// Why flags are refused, by verb or problem.
var (
	ofOneFit = because{"path": "belongs to gcg fit, with one λ; gcg path prints what it found",
		"cv": "belongs to gcg fit, with one λ; gcg cv prints what it found"}
	ofChoice = because{"path": "is to choose λ by in gcg fit; gcg path chooses none, and measures every λ on --test",
		"cv":     "is to choose λ by in gcg fit; gcg cv chooses by its folds",
		"update": ofModel, "compare": "chooses λ; solvers are compared on one problem"}.and(unsolved)
	ofPath = because{"compare": "chooses λ; gcg compare takes one, from --lambda or --lambda-ratio",
		"fit/cur": "is of gcg path; gcg fit takes the λ of --rows and --columns, or 0.002 of the smallest one with W = 0"}
	ofTests  = because{"cv": "gcg cv measures on its folds; fit with the λ that it selects"}
	unsolved = because{"check": "gcg check solves nothing that it could be for"}
	compared = because{"compare": "gcg compare sets it, a solver at a time; see --solvers"}
	unkept   = because{"compare": "gcg compare keeps a table and a --plot alone; gcg fit writes it, with the solver of your choice"}
	ofResult = because{"path": ofOneFit["path"]}.and(unsolved).and(unkept)
	fromZero = because{"compare": "gcg compare starts every solver from W = 0"}
	oneValue = because{"compare": "is for one answer"}
	onPath   = because{"path": "a path chooses its own λ; see --points and --ratio",
		"cv": "a path chooses its own λ; see --points and --ratio", "update": ofModel}
	ofClicks = because{"update": ofModel}
)

const (
	ofModel     = "update keeps the problem of the model; for another there is gcg fit"
	ofSelection = "a selection of rows and columns has squares, largest entries and λ alone"
)

// ofCUR are the settings that a selection has no use for.
var ofCUR = because{"cur": ofSelection}

// Flags are all flags of the command, in the order of the help. CONTRIBUTING.md says how to add one.
var Flags = []Flag{
	// the data
	{Name: "train", Group: first, In: "classification regression",
		Doc: "a `FILE` of rows to train on, in LIBSVM's format, or delimited text with --target; - is standard input", Or: []Use{
			{In: "update", Doc: "the ratings that the model was fitted to, unless --data has them, too"},
			{In: "completion", Doc: "ratings to train on; - is standard input (default: a generated dataset)"},
			{In: "multitask", Doc: "a `FILE` of rows to train on: delimited text with a task column, or one file for each task; - is " +
				"standard input"},
			{In: "recovery", Doc: "known entries: lines of row, column and value; - is standard input"},
			{In: "rpca", Doc: "instead of --features: known entries of D, lines of row, column and value"},
			{In: "data-split", Doc: "ratings to split; - is standard input"},
			{In: "data-convert", Doc: "ratings to read; - is standard input"},
		}},
	{Name: "test", Group: first, In: "classification regression", Refused: ofTests.and(unsolved),
		Doc: "a `FILE` of rows to measure on, in LIBSVM's format, or delimited text with --target; - is standard input", Or: []Use{
			{In: "completion", Doc: "ratings to measure on"},
			{In: "multitask", Doc: "a `FILE` of rows to measure on: delimited text with a task column, or one file for each task; - is " +
				"standard input"},
			{In: "recovery", Doc: "entries to measure on; of a graph, links to be found"},
		}},
	{Name: "valid", Group: choosing, In: "classification regression", Refused: ofChoice,
		Doc: "a `FILE` of rows to choose λ by, in LIBSVM's format, or delimited text with --target; - is standard input", Or: []Use{
			{In: "completion", Doc: "ratings to choose λ by"},
			{In: "recovery", Doc: "entries to choose λ by"},
			{In: "multitask", Doc: "a `FILE` of rows to choose λ by: delimited text with a task column, or one file for each task; - is " +
				"standard input"},
		}},
	{Name: "graph", Group: first, In: "recovery",
		Doc: "instead of --train: the edges of an undirected graph, two nodes a line and perhaps a weight"},
	{Name: "view", Group: first, In: "multiview",
		Doc: "a `FILE` of features, a row for each sample: CSV, Matrix Market, .npy or .npz; two or more, of the same samples in " +
			"one order; empty fields, NA and NaN are missing", Or: []Use{
			{In: "predict", Doc: "of views: a `FILE` of each view of the new samples, in the order of training, or VIEW=FILE for one " +
				"of them"}}},
	{Name: "covariance", Group: first, In: "spca", Doc: "the covariance C: CSV, Matrix Market, .npy or .npz",
		Refused: because{"cv/spca": "has no rows to hold out; cross-validation takes --features"}},
	{Name: "features", Group: first, In: "classification regression",
		Doc: "features to train on: CSV, Matrix Market, .npy or .npz", Or: []Use{
			{In: "rpca", Doc: "the matrix D: CSV, Matrix Market, .npy or .npz; empty fields, NA and NaN are missing"},
			{In: "spca", Doc: "the data, a row for each sample, whose covariance it is; likewise"},
			{In: "cur", Doc: "the matrix D, rows are samples: CSV, Matrix Market, .npy or .npz; - is standard input"},
			{In: "data-generate", Doc: "of classes: features, a fifth of which tell the classes apart"}}},
	{Name: "labels", Group: first, In: "classification", Doc: "their labels, any text, one a line", Or: []Use{
		{In: "multiview", Doc: "labels of the samples: a column of classes, or several of 0 and 1; NA is not known"},
		{In: "predict", Doc: "of classes, and of views with labels: the true labels, to measure against"}}},
	{Name: "targets", Group: first, In: "regression", Doc: "their targets, one or more columns of numbers; with --loss cox " +
		"times, and 1 where the event was seen then, else 0", Or: []Use{
		{In: "predict", Doc: "of regression: the true targets, to measure against"}}},
	{Name: "sample-weights", Group: data, In: "classification multitask regression",
		Doc: "a weight for each row of training, which multiplies its loss: one column of numbers, not negative"},
	{Name: "test-features", Group: data, In: "classification regression", Refused: ofTests.and(unsolved),
		Doc: "features to measure on: CSV, Matrix Market, .npy or .npz"},
	{Name: "test-labels", Group: data, In: "classification", Refused: ofTests.and(unsolved),
		Doc: "their labels, any text, one a line"},
	{Name: "test-targets", Group: data, In: "regression", Refused: ofTests.and(unsolved),
		Doc: "their targets, one or more columns of numbers"},
	{Name: "valid-features", Group: choosing, In: "classification regression", Refused: ofChoice,
		Doc: "features to choose λ by: CSV, Matrix Market, .npy or .npz"},
	{Name: "valid-labels", Group: choosing, In: "classification", Refused: ofChoice, Doc: "their labels, any text, one a line"},
	{Name: "valid-targets", Group: choosing, In: "regression", Refused: ofChoice,
		Doc: "their targets, one or more columns of numbers"},
	{Name: "task", Group: first, In: "multitask", Doc: "the column of the task, by name or by number from 1 (default task)",
		Or: []Use{
			{In: "predict", Doc: "of tasks: the column of the task (default: as in training), or the task of a file without one " +
				"(default: its name)"}}},
	{Name: "target", Group: first, In: "classification", Doc: "the column of the label, where --train is delimited text", Or: []Use{
		{In: "multitask", Doc: "the column of the target (default y)"},
		{In: "regression", Doc: "the column of the target, where --train is delimited text; several with commas between them, with " +
			"--loss cox TIME,EVENT"},
		{In: "predict", Doc: "the column of the true target or label (default: as in training)"}}},
	{Name: "data", Group: first, In: "update", Doc: "the ratings that came in", Or: []Use{
		{In: "reproduce", Doc: "folder of real data, one folder for each dataset; what is not there is generated"},
		{In: "predict", Doc: "users and items, or rows of features, as in training; - is standard input"}}},
	{Name: "columns", Group: data, In: "completion update", Doc: "user, item and rating columns, and perhaps times, weight=NAME " +
		"and offset=NAME: names, or numbers from 1; or wide: a row for each user, a column for each item", Or: []Use{
		{In: "recovery", Doc: "row, column and value columns: names, or numbers from 1"},
		{In: "rpca", With: "train", Doc: "of --train: row, column and value columns, names or numbers from 1"},
		{In: "cur", Check: atLeast(1), Doc: "likewise columns of D"},
		{In: "data-split data-convert", Doc: "user, item and rating columns, and perhaps one of times: names, or numbers from 1"},
		{In: "predict", Doc: "of ratings: user, item and rating columns, names or numbers from 1"},
		{In: "recommend", Doc: "columns of --seen and --ratings"},
		{In: "serve", With: "seen", Doc: "columns of --seen"}}},
	{Name: "decimal", Group: data, In: "completion update predict recommend serve data-split data-convert",
		Doc: "decimal mark of ratings: . or , (fields stand between ; or tabs then)", Or: []Use{
			{In: "predict", Doc: "decimal mark of ratings, features, matrices and views: . or , (fields stand between ; or tabs then)"},
			{In: "spca rpca cur multiview classification multitask regression",
				Doc: "decimal mark of text: . or , (fields stand between ; or tabs then)"}}},
	{Name: "transpose", Group: data, In: "spca rpca cur", Doc: "the file has a column for each row of --features", With: "features",
		Or: []Use{{In: "multiview", Doc: "the files have a column for each sample"},
			{In: "predict", Doc: "of spca and views: the files have a column for each row"}}},
	{Name: "query", Group: data, In: "completion",
		Doc: "the rows of a database: a select, where one of the files is postgres://… or sqlite:FILE", Or: []Use{
			{In: "predict", Doc: "the rows of a database, where --data is one: a select"},
			{In: "serve", Doc: "the rows of a database, where --seen is one: a select, asked again at each hangup"},
			{In: "recommend", Doc: "the rows of a database, where --seen or --ratings is one: a select"}}},
	{Name: "rows", Group: data, In: "rpca", With: "features", Doc: "of --features: only rows `FROM-TO`, counted from 1", Or: []Use{
		{In: "cur", Check: atLeast(1), Doc: "select this many rows of D: takes the largest λ with as many, and writes so many " +
			"(default 10 of those selected)"},
		{In: "data-generate", Doc: "rows, instead of the shape's"}}},
	{Name: "shape", Group: data, In: "recovery", Doc: "ROWS,COLS: the matrix has this size, and rows and columns are numbered " +
		"from 1, or from 0 (default: as many as there are ids)", Or: []Use{
		{In: "rpca", With: "train", Doc: "of --train: ROWS,COLS of D, whose rows and columns are numbered from 1, or from 0"}}},
	{Name: "duplicates", Group: data, In: "completion recovery", Default: "error", Check: words("error last mean"),
		Doc: "for an entry given twice: error, last or mean", Or: []Use{
			{In: "update", Default: "last", Check: words("error last mean"),
				Doc: "for an entry given twice: error, last (that of --data) or mean"}}},
	{Name: "split", Group: first, In: "completion", Check: fraction, Refused: ofTests.and(ofClicks).and(unsolved),
		Doc: "train fraction: train on this part of the ratings, test on the rest", Or: []Use{
			{In: "classification", Check: fraction,
				Doc: "train fraction: train on this part of the rows of each class, test on the rest"},
			{In: "multitask", Check: fraction, Doc: "train fraction: train on this part of the rows of each task, test on the rest"},
			{In: "regression", Check: fraction, Doc: "train fraction: train on this part of the rows, test on the rest"},
			{In: "recovery", Check: fraction, Doc: "train on this fraction of the entries, test on the rest; of a graph, of its edges"},
			{In: "polar", Doc: "of multiview: the first `n₁` rows are the first view, and the others the second; or n₁,n₂, and the " +
				"others are labels; of views: the rows of each view but the last"},
			{In: "data-split", Check: fraction, Doc: "fraction of the ratings for the first part"}}},
	{Name: "split-per-user", Group: data, In: "completion", Check: fraction, Refused: ofTests.and(ofClicks).and(unsolved),
		Doc: "train on this fraction of each user's ratings", Or: []Use{
			{In: "data-split", Check: fraction, Doc: "fraction of each user's ratings for the first part"}}},
	{Name: "split-last", Group: data, In: "completion", Check: atLeast(1), Refused: ofTests.and(ofClicks).and(unsolved),
		Doc: "test on each user's last N ratings", Or: []Use{
			{In: "data-split", Check: atLeast(1), Doc: "each user's last N ratings for the second part"}}},
	{Name: "split-time", Group: data, In: "completion", Check: fraction, Refused: ofTests.and(ofClicks).and(unsolved),
		Doc: "train on this fraction of the ratings, the first ones by time, test on those after", Or: []Use{
			{In: "data-split", Check: fraction, Doc: "fraction of the ratings for the first part, which come before the others by time"}}},
	{Name: "parts", Group: data, In: "data-split", Doc: "the two files to write"},
	{Name: "for", Group: first, In: "fit/completion", Default: "rating", Check: words("rating ranking"),
		Refused: ofOneFit.and(unsolved).and(because{"update": ofModel,
			"compare": "chooses a model; solvers are compared on one problem"}),
		Doc: "rating: predict ratings; ranking: recommend, by the model whose lists are best for ratings that are held out"},
	{Name: "implicit", Group: data, In: "completion", Check: positive("α, what a click weighs beyond the background,"),
		Refused: ofClicks,
		Doc:     "ratings are clicks: over all cells, where there are r clicks 1 with weight w₀ + αr, else 0; try 5"},
	{Name: "background", Group: data, In: "completion", Default: 1, With: "implicit", Refused: ofClicks,
		Check: positive("w₀, the weight of cells without a click,"), Doc: "weight w₀ of a cell without clicks"},
	{Name: "positive", Group: data, In: "completion",
		Doc: "with --implicit: ratings from here on are one click each, others none (default: they are counts)"},
	{Name: "user-features", Group: data, In: "completion update",
		Doc: "what is known of users: CSV with a header, ids first, or lines of id name:number …", Or: []Use{
			{In: "predict", Doc: "of ratings: what is known of users that are not in the model, as in training"},
			{In: "recommend", Doc: "what is known of users that are not in the model, as in training"},
			{In: "data-generate", Doc: "file to write features of users to, as .csv"}}},
	{Name: "item-features", Group: data, In: "completion update",
		Doc: "what is known of items, alike; users and items without ratings are predicted by it", Or: []Use{
			{In: "predict data-generate", Doc: "the same of items"},
			{In: "recommend", Doc: "the same of items: they are recommended, too"}}},
	{Name: "also-seen", Group: data, In: "completion update",
		Doc: "pairs of users and items without ratings, such as clicks: they join the lists of --rated, which is both unless said",
		Or: []Use{
			{In: "predict", Doc: "of ratings: pairs of users and items that are not in the model, which is of lists of what was rated"},
			{In: "recommend", Doc: "pairs of users and items that join the lists of what new users have rated"}}},
	{Name: "categories", Group: data, In: "completion update", Commas: true, With: "user-features item-features",
		Doc: "columns of features whose numbers are codes, not quantities"},
	{Name: "weight", Group: data, In: "multiview",
		Doc: "`VIEW=W`: the weight of a view's loss (default 1); VIEW is a file, or a number from 1"},
	{Name: "scale", Group: data, In: "multiview", Default: "none", Check: words("none center standardize"),
		Doc: "features: none, center (less their means), or standardize; the mean is a median for huber", Or: []Use{
			{In: "reproduce", Default: 0.0, Check: atMostOne, Doc: "sizes of generated data over those of the paper; 0 chooses"}}},

	// the problem
	{Name: "center", Group: problem, In: "completion", Default: "auto", Check: words("auto none global rows cols both shrunk"),
		Refused: ofClicks,
		Doc:     "subtract none, global, rows, cols, both or shrunk means; auto chooses with λ, and none where that is given",
		Or: []Use{
			{In: "spca", Default: "cols", Check: words("cols none"),
				Doc: "cols: C is of the features less the means of their columns; none: of the features as they are"}}},
	{Name: "rated", Group: problem, In: "completion", Default: "auto", Check: words("auto none users items both"), Refused: ofClicks,
		Doc: "lists of what was rated as features: none, users (the items of each), items (the users of each), both, or auto as " +
			"--center, for 20,000 to 1,000,000 ratings"},
	{Name: "weights", Group: problem, In: "completion", Default: "auto", Refused: ofClicks,
		Doc: "weighted trace norm: none, empirical, power:α or smoothed:α; auto as --center", Or: []Use{
			{In: "show", Doc: "print the weights that are not 0 as CSV: feature, output, weight, and intercepts first"}}},
	{Name: "clip", Group: problem, In: "completion", Default: "auto",
		Doc: "clip predictions: auto (the range of the training ratings), none or LO,HI", Or: []Use{
			{In: "update", Default: "auto", Doc: "clip predictions: auto (the range of all ratings), none or LO,HI"}}},
	{Name: "feature-weight", Group: problem, In: "completion update", Default: "auto",
		With: "user-features item-features rated also-seen",
		Doc: "how much features may explain beside each user's and item's own part: a number; auto chooses with λ, and takes 0.25 " +
			"where that is given"},
	{Name: "standardize", Group: problem, In: "classification multitask regression",
		Doc: "fit with each feature over its standard deviation; the saved weights are for features as they are (default, of " +
			"classes and numbers: where λ is chosen and deviations of dense features differ more than 30-fold)", Or: []Use{
			{In: "spca", Doc: "of --features: divide columns by their standard deviations: C is the correlation"}}},
	{Name: "missing", Group: data, In: "classification multitask regression", Default: "error", Check: words("error mean"),
		Doc: "features that are missing (empty fields, NA, NaN): error, or mean, which fills them by their means over the training " +
			"rows, in predict too"},
	{Name: "unit-norm", Group: problem, In: "cur", Doc: "divide D by its Frobenius norm, as λ = 5e-4 of [Cheung15] asks"},
	{Name: "lambda", Group: first, In: shared, Default: "auto", Refused: onPath, Or: []Use{
		{In: "compare", Default: "auto", Doc: "weight λ of the penalty; where nothing says what it is, --lambda-ratio " + compareRatio},
		{In: "completion recovery", Default: "auto",
			Doc: "weight λ of the penalty on the trace norm, or auto: by a path with a validation part"},
		{In: "classification multitask", Default: "auto",
			Doc: "weight λ of the penalty on the trace norm (or the --gauge), or auto: by a path with a validation part"},
		{In: "multiview", Default: "auto",
			Doc: "weight λ of the penalty on the gauge of views, or auto: by a path with a validation part"},
		{In: "rpca", Default: "auto", Doc: "weight λ of the penalty on the trace norm of L, or auto: by a path with a validation part"},
		{In: "regression", Default: "auto",
			Doc: "weight λ of the penalty on the ℓ1 norm (or the --gauge), or auto: by a path with a validation part"},
		{In: "cur", Default: "auto", Doc: "weight λ of the largest entries of rows and columns, or auto: that of --rows and " +
			"--columns, or else 0.002 of the smallest with W = 0"},
		{In: "spca", Default: "auto",
			Doc: "weight λ of ‖X‖₁, or auto: each component keeps 90 % of the variance that it could have"}}},
	{Name: "lambda-ratio", Group: choosing, In: shared, Check: fraction,
		Doc: "λ as a part of the smallest λ with W = 0, instead of --lambda",
		Refused: unsolved.and(because{"path": "is of one λ, for gcg fit; gcg path takes --points and --ratio",
			"cv": "is of one λ, for gcg fit; gcg cv takes --points and --ratio", "update": ofModel}), Or: []Use{
			{In: "spca", Check: fraction, Doc: "λ as a part of the largest variance, beyond which one variable is left"}}},
	{Name: "nonzeros", Group: first, In: "spca", Check: atLeast(1), Refused: unsolved,
		Doc: "find the λ for so many variables in each component"},
	{Name: "components", Group: first, In: "spca", Default: 1, Check: atLeast(1), Refused: unsolved,
		Doc: "how many, each of what those before leave of C"},
	{Name: "l1", Group: problem, In: "recovery", Check: notNegative("a finite number, not negative; 0 is the trace norm alone"),
		Doc: "weight λ₁ of the ℓ1 norm, for a sparse X; 0 is the trace norm alone", Or: []Use{
			{In: "rpca", Check: notNegative("a positive number, or 0 for λ/√max(m,n)"),
				Doc: "weight λ₁ of the sparse part; 0 is λ/√max(m,n)"}}},
	{Name: "equal", Group: problem, In: "rpca",
		Doc: "both parts add up to D, which needs no --lambda: it is 1 (the default without --lambda and --l1)"},
	{Name: "constrain", Group: problem, In: "completion recovery", Check: positive("ζ"),
		Doc: "hold the trace norm to at most ζ, instead of a penalty",
		Refused: ofCUR.and(unsolved).and(because{"path": "a path is over λ", "cv": "a path is over λ", "update": ofModel,
			"rpca": "rpca has the penalty λ‖L‖_*"}), Or: []Use{
			{In: "classification multitask", Check: positive("ζ"),
				Doc: "hold the trace norm (or the --gauge) to at most ζ, instead of a penalty"},
			{In: "regression", Check: positive("ζ"), Doc: "hold the ℓ1 norm (or the --gauge) to at most ζ, instead of a penalty"},
			{In: "multiview", Check: positive("ζ"), Doc: "hold the gauge of views to at most ζ, instead of a penalty"}}},
	{Name: "penalty", Group: problem, In: "completion classification multitask multiview", Default: "linear",
		Check: words("linear square"), Doc: "linear: λκ(W), square: λ/2 κ(W)²",
		Refused: ofCUR.and(because{"update": ofModel, "recovery": "recovery has linear, or --constrain",
			"rpca": "rpca has the penalty λ‖L‖_*"}), Or: []Use{
			{In: "regression", Default: "linear", Doc: "linear: λκ(W), square: λ/2 κ(W)²; or beside λκ(W) a second penalty of " +
				"neighbouring features or groups: " + second.Words}}},
	{Name: "ridge", Group: problem, In: "classification multitask regression", Check: notNegative("a finite number, not negative"),
		Doc: "weight μ of a ridge μ/2·‖W‖² beside the penalty, in the units of the loss as λ is; of standardized weights with " +
			"--standardize, never of intercepts; at λ = 0 it stands alone"},
	{Name: "l1-ratio", Group: problem, In: "classification multitask regression", Default: 1.0, Check: atMostOne,
		Doc: "elastic net: λ weighs r·κ(W) + (1-r)/2·‖W‖², for r from 0 (a ridge) to 1"},
	{Name: "loss", Group: problem, In: "completion multitask regression recovery", Default: "squared",
		Doc: strings.Join(task.RatingLossWords(), ", "), Refused: ofCUR.and(because{"update": ofModel}), Or: []Use{
			{In: "multitask regression", Default: "squared", Doc: strings.Join(task.LossWords(task.Regression), ", ")},
			{In: "classification", Default: "logistic", Doc: strings.Join(task.LossWords(task.Classification), ", ")},
			{In: "multiview", Doc: "`LOSS`, or VIEW=LOSS for one view: squared (the default), huber:μ or logistic; VIEW is a file, a " +
				"number from 1, or labels"},
			{In: "rpca", Default: "squared", Doc: "squared; with --equal there is none"}}},
	{Name: "gauge", Group: problem, In: "completion rpca", Default: "trace", Doc: "the norm: trace",
		Refused: ofCUR.and(because{"update": ofModel}), Or: []Use{
			{In: "classification multitask", Default: "trace", Doc: "the norm: " + strings.Join(gaugeword.All(), ", ")},
			{In: "regression", Default: "l1", Doc: "the norm: " + strings.Join(gaugeword.All(), ", ")},
			{In: "multiview", Default: "multiview", Check: words("multiview views trace"),
				Doc: "the norm: multiview (of two views), views (the convex model of any number), or trace"},
			{In: "recovery", Default: "trace", Check: words("trace symmetric psd"),
				Doc: "the norm: trace, symmetric or psd (symmetric positive semidefinite)"}}},
	{Name: "radius", Group: problem, In: "multiview",
		Doc: "the largest norms `β,γ` of a dictionary's column in each view (default 1 each)", Or: []Use{
			{In: "polar", Doc: "of multiview and views: the radii `β,γ` (default 1 each)"}}},
	{Name: "normalize", Group: problem, In: "completion", Default: "sum", Check: words("sum mean"),
		Doc: "the loss is a sum or a mean over the ratings", Refused: ofCUR.and(because{"update": ofModel}), Or: []Use{
			{In: "classification", Default: "mean", Check: words("sum mean"),
				Doc: "the loss is a sum or a mean over the rows (logistic), or rows × classes (the others, each class against the rest)"},
			{In: "multitask", Default: "mean", Check: words("sum mean"), Doc: "the loss is a sum or a mean over the observations"},
			{In: "regression", Default: "sum", Check: words("sum mean"), Doc: "the loss is a sum or a mean over the observations"},
			{In: "multiview", Default: "sum", Check: words("sum mean"),
				Doc: "the loss is a sum or a mean over the entries that are not missing"},
			{In: "recovery", Default: "mean", Check: words("sum mean"), Doc: "the loss is a sum or a mean over the known entries"},
			{In: "rpca cur", Default: "sum", Check: words("sum"), Doc: "the loss is a sum over the known entries"}}},
	{Name: "intercept", Group: problem, In: "classification", Doc: "an unpenalised constant for each class",
		Refused: ofCUR.and(because{"completion": "use --center global, which completion folds into its predictions",
			"multiview": "use --scale center, which takes the means of the features off", "recovery": "recovery has none",
			"rpca": "rpca has none"}), Or: []Use{
			{In: "multitask", Doc: "an unpenalised constant for each task"},
			{In: "regression", Doc: "an unpenalised constant for each target"}}},

	// choosing λ
	{Name: "points", Group: choosing, In: "path cv", Default: 20, Check: atLeast(1), Doc: "values of λ", Or: []Use{
		{In: "fit/classification fit/multitask fit/regression", Default: 40, Check: atLeast(1), Doc: triedPoints},
		{In: "fit", Default: 20, Check: atLeast(1), Doc: triedPoints}}, Refused: ofPath},
	{Name: "ratio", Group: choosing, In: "path cv", Default: 0.01, Check: between, Doc: "the last λ over the first", Or: []Use{
		{In: "path/spca cv/spca", Default: 0.02, Check: between, Doc: "the last λ over the largest variance"},
		{In: "fit/classification fit/multitask fit/regression", Default: 1e-4, Check: between, Doc: triedRatio},
		{In: "fit", Default: 0.01, Check: between, Doc: triedRatio}}, Refused: ofPath},
	{Name: "folds", Group: choosing, In: "cv", Default: 5, Check: atLeast(2), Doc: "parts of the cross-validation"},
	{Name: "by", Group: choosing, In: "cv/completion", Default: "entry", Check: words("entry row"),
		Doc: "folds hold out entries, or half of the entries of some rows", Or: []Use{
			{In: "cv/classification", Default: "row", Check: words("row"),
				Doc: "folds hold out rows, the same share of each class"},
			{In: "cv/multitask", Default: "row", Check: words("row task"),
				Doc: "folds hold out rows: of all tasks together, or the same share of each task"},
			{In: "cv/regression", Default: "row", Check: words("row entry"),
				Doc: "folds hold out rows, or single entries of the targets"},
			{In: "cv/multiview", Default: "entry", Check: words("entry"), Doc: "folds hold out entries of the views"},
			{In: "cv/recovery", Default: "entry", Check: words("entry"), Doc: "folds hold out entries, or edges of a graph"},
			{In: "cv/rpca", Default: "entry", Check: words("entry"), Doc: "folds hold out entries"},
			{In: "fit/cur", Default: "convex", Check: words("convex greedy qr leverage"),
				Doc: "what selects rows and columns: convex (W), greedy (what lowers the error most), qr (pivoted), or leverage scores"},
			{In: "cv/cur", Default: "row", Check: words("row"),
				Doc: "there are no folds of a selection, which predicts nothing"}}},
	{Name: "select", Group: choosing, In: "cv", Default: "min", Check: words("min 1se"),
		Doc: "the λ of the smallest error (min), or the largest within one standard error (1se)", Or: []Use{
			{In: "cv/spca", Default: "min", Check: words("min 1se"),
				Doc: "the λ that explains most (min), or the largest within one standard error of it (1se)"}}},
	{Name: "seed", Group: choosing, In: shared + " spca", Default: 1, Doc: "seed of splits and random starts", Or: []Use{
		{In: "cv fit/spca path/spca check/spca", Default: 1, Doc: "seed of folds and random starts"},
		{In: "reproduce", Default: 1, Doc: "seed of generated data, splits and random starts"},
		{In: "data-generate data-split", Default: 1, Doc: "seed"},
		{In: "polar", Default: 1, Doc: "seed of random starts"}}},

	// how long, how exact
	{Name: "tol", Group: effort, In: shared, Default: 1e-3, Check: positive("the relative gap"), Refused: unsolved,
		Doc: "relative certified gap to reach (0.05 where --lambda auto tries λ)", Or: []Use{
			{In: "cv/spca path/spca fit/spca check/spca", Default: 1e-3, Check: positive("the relative gap"),
				Doc: "relative certified gap to reach"},
			{In: "path", Default: 1e-3, Check: positive("the relative gap"), Doc: "relative certified gap to reach at every λ"},
			{In: "cv", Default: 1e-3, Check: positive("the relative gap"),
				Doc: "relative certified gap to reach at every λ, in every fold"},
			{In: "polar", Default: 1e-9, Check: between, Doc: "relative accuracy of the value and the bound"}}},
	{Name: "require-converged", Group: effort, In: shared, Doc: "exit with 3 where the gap of --tol is not reached",
		Refused: unsolved.and(oneValue), Or: []Use{{In: "spca", Doc: "exit with 3 where a gap is not reached"}}},
	{Name: "max-time", Group: effort, In: "path cv update spca", Refused: unsolved,
		Doc: "stop after this time, such as 90s or 5m, reading included", Or: []Use{
			{In: "compare", Doc: "stop each solver after this time; reading is not counted (default " + compareTime + ")"},
			{In: "fit/completion fit/classification fit/multitask fit/regression fit/multiview fit/recovery fit/rpca fit/cur",
				Doc: "stop after this time, such as 90s or 5m, reading included; choosing λ takes at most half of it"}}},
	{Name: "max-iter", Group: effort, In: shared + " spca", Check: atLeast(0), Refused: unsolved,
		Doc: "stop after this many steps; 0 is no limit"},
	{Name: "max-rank", Group: effort, In: gauged, Check: atLeast(0), Solvers: "gcg bcd", Refused: ofCUR.and(unsolved),
		Doc: "stop growing at this rank; 0 is no limit"},
	{Name: "warm", Group: effort, In: shared, Refused: ofOneFit.and(unsolved).and(fromZero).and(ofClicks),
		Doc: "start from this model"},
	{Name: "threads", Group: effort, In: shared, Check: processors,
		Doc: "processors to use (default all); the result does not depend on it", Or: []Use{
			{In: "spca", Check: processors, Doc: "processors to use (default all)"}}},
	{Name: "float32", Group: effort, In: "completion",
		Refused: because{"path": "is for gcg fit alone; gcg path keeps ratings and predictions in float64",
			"cv": "is for gcg fit alone; gcg cv keeps ratings and predictions in float64"},
		Doc: "keep ratings in float32 and no predictions: 12 bytes a rating"},
	{Name: "exact-certificate", Group: effort, In: shared + " spca", Refused: unsolved,
		Doc: "prove the final bound by a Cholesky factorization"},

	// solvers
	{Name: "solver", Group: solvers, In: "completion classification multitask regression", Default: "gcg",
		Refused: unsolved.and(compared), Or: []Use{
			{In: "recovery rpca", Default: "auto"}, {In: "multiview", Default: "splitting"}, {In: "cur", Default: "working-set"},
			{In: "spca", Default: "sparse-pca"}}},
	{Name: "improve", Group: solvers, In: "classification multitask regression multiview cur", Default: "auto",
		Check: words("auto none corrective local proximal"), Refused: unsolved.and(compared),
		Solvers: "gcg atomdescent r1d contr1d sliding sliding-refined",
		Doc:     "between steps: none, corrective, local or proximal; auto takes what fits the gauge", Or: []Use{
			{In: "completion", Default: "local", Check: words("none corrective local"),
				Doc: "between steps: none, corrective or local"},
			{In: "recovery", Default: "auto", Check: words("auto none corrective local"),
				Doc: "between steps: none, corrective or local; auto takes what fits the gauge"},
			{In: "rpca", Default: "auto", Check: words("auto none local"),
				Doc: "between steps: none or local; auto takes what fits the gauge"}}},
	{Name: "step", Group: solvers, In: shared, Default: "line-search", Solvers: "gcg", Refused: unsolved.and(compared),
		Check: words("line-search open-loop open-loop-1 constant quadratic-bound"),
		Doc:   "line-search, open-loop, open-loop-1, constant (of --max-iter) or quadratic-bound"},
	{Name: "atoms", Group: solvers, In: shared, Check: atLeast(0), Solvers: "gcg atomdescent r1d contr1d", Refused: unsolved,
		Doc: "atoms for each step; 0 chooses"},
	{Name: "inner-steps", Group: solvers, In: shared, Check: atLeast(1), Solvers: "sliding sliding-refined", Refused: unsolved,
		Doc: "of sliding: polars for each gradient (default 3), or the most of them where a gap ends them (20, 200 as printed)"},
	{Name: "as-printed", Group: solvers, In: shared, Solvers: "sliding sliding-refined", Refused: unsolved,
		Doc: "of sliding: the inner loops of the paper, which forget where they began"},
	{Name: "generate", Group: solvers, In: "completion", Refused: ofClicks,
		Doc: "train on generated ratings of this shape (gcg data list), or SHAPE:N for N ratings with rows and columns in proportion"},
	{Name: "solvers", Group: first, In: "compare", Commas: true,
		Doc: "words of --solver of gcg fit, with those of --improve and --step behind them where they are not the usual ones, as " +
			"gcg:none:open-loop (default: all that are for the problem)"},

	// what is written
	{Name: "model", Group: first, In: shared + " spca", Doc: "write the model to this file",
		Refused: unsolved.and(unkept).and(because{"path": ofOneFit["path"]}), Or: []Use{
			{In: "cv", Doc: "fit with the λ that is selected, and write the model to this file"},
			{In: "predict recommend show export", Doc: "a fitted model"},
			{In: "similar serve", Doc: "a fitted model of completion"},
			{In: "update", Doc: "the model to update"}}},
	{Name: "output", Group: first, In: "cur", Refused: ofResult,
		Doc: selectionFiles, Or: []Use{
			{In: "cv/cur", Doc: selectionFiles, With: "model"},
			{In: "update", Doc: "write the new model to this file, which may be that of --model"},
			{In: "reproduce", Doc: "write tables and plots to this folder, or all as one page to a file .html or .md"},
			{In: "similar", Doc: "file to write, such as .parquet (default: standard output)"},
			{In: "predict", Doc: "file to write, .parquet or else CSV (default: standard output)"},
			{In: "recommend", Doc: "file to write, such as .parquet, or postgres://… with --table (default: standard output)"},
			{In: "export", Doc: "file to write, .npz, .csv or .parquet, or postgres://… with --table; - is standard output"},
			{In: "data-generate", Doc: "file to write: ratings as .csv or tabs (.zst: compressed), rows of classes in LIBSVM's format, " +
				"views as .csv or .npy"},
			{In: "data-convert", Doc: "file to write, .parquet, .csv or tabs"},
			{In: "data-get", Default: ".", Doc: "folder to put it into"},
			{In: "report", Check: pageOrPicture, Doc: "file to write: .html, a page that stands alone, or .svg, .png or .pdf"}}},
	{Name: "table", Group: data, In: "recommend",
		Doc: "the table of --output whose rows the lists replace, all or none of them", Or: []Use{
			{In: "export", Doc: "the table of --output whose rows the factors, or the weights, replace, all or none of them"}}},
	{Name: "check", Group: first, In: "update", Doc: "say how far the model is from the optimum, and stop"},
	{Name: "json", Group: results, In: shared + " spca", Doc: "print the result as JSON", Or: []Use{
		{In: "show polar reproduce", Doc: "print JSON"},
		{In: "predict", Doc: "print what the predictions are worth as JSON; they go to --output"}}},
	{Name: "quiet", Group: first, In: shared + " spca", Doc: "no progress", Or: []Use{
		{In: "predict", Doc: "print predictions only"},
		{In: "reproduce", Doc: "do not say what is run"}}},
	{Name: "verbose", Short: "v", Group: results, In: shared + " spca", Refused: oneValue, Doc: "a log line for every iteration"},
	{Name: "plot", Group: results, In: "path cv", Check: picture, Doc: "draw the curve to this file: .svg, .png or .pdf", Or: []Use{
		{In: "compare", Check: picture, Doc: "draw the convergence of all to this file: .svg, .png or .pdf"}}},
	{Name: "coefficients", Group: results, In: "path/classification path/multitask path/regression",
		Doc: "write the weights at every λ that are not 0 to this file, .parquet or else CSV: lambda, feature, output, weight, the " +
			"intercepts first; for features as they are; --json has them, too"},
	{Name: "against", Group: results, In: "compare", Default: "seconds", Check: words("seconds gradients polars"),
		Doc: "the axis of work of --plot: seconds, gradients or polars", Or: []Use{
			{In: "report", Default: "seconds", Check: words("seconds gradients polars"),
				Doc: "the axis of work: seconds, gradients or polars"}}},
	{Name: "ranking", Group: results, In: "completion", Refused: ofOneFit.and(unsolved).and(oneValue),
		Doc: "measure lists of so many items on the test ratings: N, or several as 5,10,20"},
	{Name: "confusion", Group: results, In: "classification", Refused: ofOneFit.and(unsolved).and(oneValue),
		Doc: "print the confusion table of more than 12 classes, too; --json has it up to 100 without", Or: []Use{
			{In: "predict", Doc: "of classes: print the confusion table of more than 12 classes, too"}}},
	{Name: "denoised", Group: results, In: "multiview", Refused: ofResult, Doc: denoisedFiles, Or: []Use{
		{In: "cv/multiview", Doc: denoisedFiles, With: "model"},
		{In: "predict", Doc: "of views: write all views as predicted, or VIEW=`FILE` for one, as fit does"}}},
	{Name: "low-rank", Group: results, In: "rpca", Refused: ofResult, Doc: lowRankFile, Or: []Use{
		{In: "cv/rpca", Doc: lowRankFile, With: "model"}}},
	{Name: "sparse", Group: results, In: "rpca", Refused: ofResult, Doc: sparseFile, Or: []Use{
		{In: "cv/rpca", Doc: sparseFile, With: "model"}}},
	{Name: "sheet", Group: results, In: "rpca", Refused: ofResult, Doc: sheetFile, Or: []Use{
		{In: "cv/rpca", Doc: sheetFile, With: "model"}}},
	{Name: "links", Group: results, In: "recovery", Refused: ofOneFit.and(ofResult), With: "graph",
		Doc: "of a graph: write the listed links to this file, as CSV"},
	{Name: "top", Group: results, In: "recovery", Refused: ofOneFit.and(ofResult), Default: 10, Check: atLeast(0), With: "graph",
		Doc: "of a graph: list so many missing links, best first", Or: []Use{
			{In: "recommend", Default: 10, Check: atLeast(1), Doc: "items for each user"},
			{In: "similar", Default: 10, Check: atLeast(1), Doc: "how many"}}},
	{Name: "picture", Group: results, In: "cur", Check: picture, Refused: ofResult,
		Doc: selectionPicture, Or: []Use{
			{In: "cv/cur", Check: picture, Doc: selectionPicture, With: "model"},
			{In: "fit/spca", Check: picture, Doc: "draw the variance explained, the loadings and the scores of rows to this file: .svg, " +
				".png or .pdf"},
			{In: "fit/multiview", Check: picture, Doc: "draw the part of each view that components explain, their loadings and the " +
				"codes of samples to this file: .svg, .png or .pdf"}}},
	{Name: "image-size", Group: results, In: "multiview predict", Refused: ofResult,
		Doc: "the height and width `H,W` of a view's images, for .png and .pgm", Or: []Use{
			{In: "rpca", Doc: "the height and width `H,W` of D's rows as images, for .png and .pgm"}}},
	{Name: "image-order", Group: results, In: "multiview rpca predict", Default: "rows", Refused: ofResult,
		Check: words("rows columns"), With: "image-size",
		Doc: "the pixels of an image are by its rows, or by its columns, as MATLAB has them"},
	{Name: "trace", Group: results, In: shared + " spca", Refused: ofOneFit.and(unsolved).and(unkept),
		Doc: "write every iteration to this file as JSON lines"},
	{Name: "live", Group: results, In: shared, Refused: ofOneFit.and(unsolved).and(oneValue),
		Doc: "show the run on a page while it goes on, at an address such as :8080; for this machine alone unless a host is named"},
	{Name: "checkpoint", Group: results, In: shared, Refused: ofOneFit.and(unsolved).and(unkept).and(ofClicks),
		Doc: "write the state to this file every so often and when interrupted"},
	{Name: "checkpoint-every", Group: results, In: shared, Default: "20s", With: "checkpoint",
		Check: func(d string) string {
			if strings.HasPrefix(d, "-") || d == "0s" {
				return "a positive time, such as 20s or 5m"
			}
			return ""
		},
		Refused: ofOneFit.and(unsolved).and(unkept).and(ofClicks), Doc: "at least this time between checkpoints"},
	{Name: "resume", Group: results, In: shared, Refused: ofOneFit.and(unsolved).and(fromZero).and(ofClicks),
		Doc: "continue from this checkpoint: to the same optimum within --tol, not to the same digits"},

	// verbs of models
	{Name: "unknown", Group: data, In: "predict", Default: "some", Check: words("some mean"),
		Doc: "users and items that are not in the model are predicted by the mean: some may be unknown, or all of them with mean"},
	{Name: "predict", Group: data, In: "predict", Doc: "of views: labels, codes, or a `VIEW`, by its file or number from 1 " +
		"(default labels; without them the view that is not given)"},
	{Name: "user", Group: data, In: "recommend", Doc: "one user", Or: []Use{
		{In: "predict", Doc: "of ratings: the user of one pair, instead of --data", With: "item"},
		{In: "similar", Doc: "the user that others are to be like"}}},
	{Name: "item", Group: data, In: "similar", Doc: "the item that others are to be like", Or: []Use{
		{In: "predict", Doc: "of ratings: the item of the pair", With: "user"}}},
	{Name: "users", Group: data, In: "recommend", Doc: "a file of users, one a line, under a header or none"},
	{Name: "all", Group: data, In: "recommend", Doc: "all users of the model", Or: []Use{
		{In: "reproduce", Doc: "all experiments"}}},
	{Name: "ratings", Group: data, In: "recommend",
		Doc: "the ratings of new users: item,rating or user,item,rating; clicks may have no count", Or: []Use{
			{In: "data-generate", Doc: "ratings"}}},
	{Name: "seen", Group: data, In: "recommend", Doc: "ratings whose items are left out", Or: []Use{
		{In: "serve", Doc: "ratings whose items are left out; explanations are made of them"}}},
	{Name: "only-items", Group: data, In: "recommend", Doc: "a file of items, one a line: the lists have no others"},
	{Name: "without-items", Group: data, In: "recommend", Doc: "a file of items, one a line, that no list has"},
	{Name: "titles", Group: data, In: "recommend",
		Doc: "a file of item and title: MovieLens' u.item, movies.dat or movies.csv, or other delimited text", Or: []Use{
			{In: "similar serve", Doc: "a file of item and title, as for gcg recommend"}}},
	{Name: "explain", Group: data, In: "recommend",
		Doc: "name the rated items that carry each recommendation, by --ratings, or for known users by --seen"},
	{Name: "listen", Group: data, In: "serve", Default: "127.0.0.1:8080",
		Doc: "address and port; beyond this machine with a token, TLS or --insecure"},
	{Name: "watch", Group: data, In: "serve", Doc: "take in the model, and --seen and --titles, when they are written anew"},
	{Name: "token-file", Group: data, In: "serve",
		Doc: "tokens, one a line, of which a request must have one: Authorization: Bearer TOKEN"},
	{Name: "tls-cert", Group: data, In: "serve", Doc: "the certificate of the server, with its chain (PEM)"},
	{Name: "tls-key", Group: data, In: "serve", Doc: "its key (PEM)"},
	{Name: "insecure", Group: data, In: "serve", Doc: "listen beyond this machine without a token and without TLS"},
	{Name: "certified", Group: data, In: "recommend",
		Doc: "mark the places that are those of the optimum, of a model of fit --implicit"},
	{Name: "repeat", Group: first, In: "compare", Default: 1, Check: atLeast(1),
		Doc: "solve so many times by each, and show medians and ranges of times"},
	{Name: "format", Group: data, In: "recommend similar", Default: "text", Check: words("text csv jsonl"),
		Doc: "text, csv or jsonl", Or: []Use{
			{In: "compare", Default: "text", Check: words("text markdown csv"), Doc: "of the table: text, markdown or csv"},
			{In: "export", Check: words("npz csv"), Doc: "npz or csv (default: by the name of --output)"}}},
	{Name: "matrix", Group: data, In: "polar", Doc: "the matrix G: CSV, Matrix Market, .npy or .npz; - is standard input"},
	{Name: "cost", Group: data, In: "report",
		Doc: "the files are results of fit --json: draw time and memory against the number of ratings"},
	{Name: "version", Short: "v", Group: results, In: "gcg", Doc: "print the version"},

	// data generate
	{Name: "cols", Group: data, In: "data-generate", Doc: "columns"},
	{Name: "rank", Group: data, In: "data-generate", Doc: "rank of the truth"},
	{Name: "noise", Group: data, In: "data-generate", Doc: "standard deviation of the noise",
		Check: numbers("a number from 0 to 1e50", func(x float64) bool { return x >= 0 && x <= 1e50 })},
	{Name: "classes", Group: data, In: "data-generate", Doc: "classes"},
	{Name: "per-class", Group: data, In: "data-generate", Doc: "rows of each class"},
	{Name: "correlation", Group: data, In: "data-generate", Doc: "correlation of neighbouring features"},
	{Name: "test-output", Group: data, In: "data-generate", Doc: "file for as many other rows of the same classes"},
	{Name: "view-sizes", Group: data, In: "data-generate", Doc: "of views: the features `n₁,n₂` of each"},
	{Name: "noise-fraction", Group: data, In: "data-generate",
		Doc: "of views: the part of entries that a number from 0 to 10 is added to"},
	{Name: "clean-output", Group: data, In: "data-generate", Doc: "of views: `FILE` for the views without noise, named as --output"},
}

// files of results, which two verbs write
const (
	denoisedFiles = "write W, which is the views without noise: to `FILE` with the view's number before its ending, or VIEW=FILE " +
		"for one view; .csv, .tsv, .npy, and .png or .pgm with --image-size"
	lowRankFile = "write the low-rank part L to this `FILE`: .csv, .tsv, .npy, and .png or .pgm with --image-size"
	sparseFile  = "write the sparse part S to this `FILE`: its entries that are not 0 as CSV of row, column, value; .npy, .png or " +
		".pgm as L"
	selectionFiles   = "write `PREFIX`.C.csv, .U.csv, .R.csv and .ranking.csv: columns, rows, and D ≈ C U R"
	selectionPicture = "draw D with the selection marked to this file: .svg, .png or .pdf"

	sheetFile = "write a picture of D, L and S to this `FILE`.png, rows of D being images: a line of each part, of some images"
)

const (
	triedPoints = "values of λ that --lambda auto tries, and more where the last is best"
	triedRatio  = "the last of them over the first"
)
