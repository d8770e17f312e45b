// Nothing: its target carries the precompiled headers of the tests.
