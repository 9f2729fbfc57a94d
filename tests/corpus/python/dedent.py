import textwrap
from inspect import cleandoc

QUERY = textwrap.dedent(
    """
    SELECT data_type,
           count(*)
      FROM entity_facts -- by data_type
     GROUP BY data_type
    """
).strip()
OTHER = cleandoc("""
    SELECT s.data_type FROM sensors AS s
""")
