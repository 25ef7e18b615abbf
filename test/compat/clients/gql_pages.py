"""Pages through all datasets with gql, which reads the schema first and checks the operation against it. Argument: address."""
import json
import sys

from gql import Client, gql
from gql.transport.requests import RequestsHTTPTransport

QUERY = gql(
    """
    query Datasets($first: Int!, $after: String) {
      datasets(first: $first, after: $after) {
        nodes { id name title resources { id url format } }
        pageInfo { hasNextPage endCursor }
      }
    }
    """
)

client = Client(transport=RequestsHTTPTransport(url=sys.argv[1]), fetch_schema_from_transport=True)
names, pages = [], 0
with client as session:
    after = None
    while True:
        QUERY.variable_values = {"first": 100, "after": after}
        page = session.execute(QUERY)["datasets"]
        names += [node["name"] for node in page["nodes"]]
        pages += 1
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
print(json.dumps({"pages": pages, "names": names, "types": len(client.schema.type_map)}))
