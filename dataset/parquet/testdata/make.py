"""Writes the files of this folder, by pyarrow and DuckDB (pip install pyarrow duckdb)."""
import datetime
import decimal
import os
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))

n = 600
users = [f"u{(7 * k) % 31}" for k in range(n)]
items = [(11 * k) % 47 for k in range(n)]
stars = [1 + (k % 9) / 2 for k in range(n)]
when = [datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(minutes=k) for k in range(n)]
ratings = pa.table({"stars": pa.array(stars, pa.float32()), "rated_at": pa.array(when, pa.timestamp("us", tz="UTC")),
                    "item_id": pa.array(items, pa.int32()), "user_id": users})

# The same ratings by each compression, encoding and version.
pq.write_table(ratings, "ratings-snappy.parquet", row_group_size=250, compression="snappy")
pq.write_table(ratings, "ratings-zstd-plain.parquet", row_group_size=250, compression="zstd", use_dictionary=False)
pq.write_table(ratings, "ratings-gzip-v2.parquet", compression="gzip", data_page_version="2.0", data_page_size=512)
# A dictionary that grows too large: the pages that follow are plain.
pq.write_table(ratings, "ratings-mixed.parquet", dictionary_pagesize_limit=64, data_page_size=256, write_batch_size=64)
duckdb.sql("COPY (SELECT * FROM 'ratings-snappy.parquet') TO 'ratings-duckdb.parquet' (FORMAT parquet, COMPRESSION zstd)")

# Every type, with and without missing values.
types = pa.table({
    "i8": pa.array([-1, None, 3], pa.int8()), "u8": pa.array([255, 1, None], pa.uint8()),
    "i64": pa.array([None, 2**40, -3], pa.int64()), "u32": pa.array([2**32 - 1, None, 1], pa.uint32()),
    "f32": pa.array([1.5, None, -2.25], pa.float32()), "f64": pa.array([None, None, 0.1], pa.float64()),
    "f16": pa.array([0.5, -2, None], pa.float16()), "flag": pa.array([True, None, False]),
    "dec9": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")], pa.decimal128(9, 2)),
    "dec38": pa.array([decimal.Decimal("12345678901234567890.5"), None, decimal.Decimal("-0.5")], pa.decimal128(38, 1)),
    "day": pa.array([datetime.date(2005, 12, 14), None, datetime.date(1969, 12, 31)]),
    "ms": pa.array([1500, None, -500], pa.timestamp("ms")), "ns": pa.array([10**9, None, 2 * 10**9], pa.timestamp("ns")),
    "word": ["a", None, "a,b"], "dict": pa.array(["x", "y", None]).dictionary_encode(),
    "none": pa.array([None, None, None], pa.string()),
})
pq.write_table(types, "types-pyarrow.parquet")
pq.write_table(types, "types-plain.parquet", use_dictionary=False, compression="none")
pq.write_table(pa.table({"ts": pa.array([1500000000, -1500000000], pa.timestamp("ns"))}), "int96.parquet",
               use_deprecated_int96_timestamps=True)
duckdb.sql(f"""COPY (SELECT * FROM (VALUES
  (1::HUGEINT, UUID '{uuid.UUID(int=1)}', 1.25::DECIMAL(5,2), TIMESTAMP '2005-12-14 00:00:01.5', 7::UBIGINT),
  (NULL, NULL, NULL, NULL, NULL)) t(big, id, price, moment, plays)) TO 'types-duckdb.parquet' (FORMAT parquet)""")
pq.write_table(pa.table({"user": ["a"], "item": ["x"], "rating": [[1, 2]], "more": [{"p": 1}]}), "nested.parquet")
pq.write_table(pa.table({"name": ["p", "q", "r"], "x": [1, 2, 3], "color": ["red", "blue", "red"], "y": [0.5, 1.5, 2.5]}),
               "features.parquet")

# As Spark writes: a folder of parts beside an empty _SUCCESS, all columns nullable, times as INT96.
os.makedirs("spark", exist_ok=True)
open("spark/_SUCCESS", "w").close()
whole = pq.read_table("ratings-snappy.parquet")
for part, (a, b) in enumerate([(0, 250), (250, 600)]):
    pq.write_table(
        pa.table({name: whole[name] for name in whole.column_names}).slice(a, b - a),
        f"spark/part-0000{part}-8c41d5f0-c000.snappy.parquet",
        compression="snappy", version="1.0", use_deprecated_int96_timestamps=True, store_schema=False,
    )
