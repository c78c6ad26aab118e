"""Who is calling, and what the caller may do (spec 2 §2.3, §5; decisions §3, §4). See README.md."""
