"""Publishes a data package with frictionless, reads it back, and prints what came as JSON: argv = base URL, API key, folder."""
import csv
import json
import os
import sys

from frictionless import Catalog, Package, Resource, portals

base, key, folder = sys.argv[1:4]
os.chdir(folder)
TABLES = {
    "stations": [["id", "name", "height"], ["1", "Thames at Kew", "4.5"], ["2", "Ōta, 東京", "12.25"]],
    "readings": [["station", "level", "day"], ["1", "0.5", "2026-01-01"], ["2", "1.75", "2026-01-02"]],
}
for name, rows in TABLES.items():
    with open(f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def control(**more):
    return portals.CkanControl(**{
        "baseurl": base, "dataset": "river-levels", "apikey": key, "organization_name": "rivers", **more,
    })


package = Package(
    name="river-levels",
    title="River levels",
    resources=[Resource(name=name, path=f"{name}.csv", format="csv") for name in TABLES],
)
published = package.publish(control=control())

# By its metadata, not by datapackage.json: the client looks for files beside that, where no CKAN has them. What it
# published of each file says "scheme: file", which was true on its own disk; so each file is read by its address.
read = Package(control=control(ignore_schema=True))
files = [Resource(name=r.name, path=r.path) for r in read.resources if r.name in TABLES]
catalog = Catalog(control=portals.CkanControl(baseurl=base, organization_name="rivers", apikey=key))
refused = None
try:
    Package(control=portals.CkanControl(baseurl=base, dataset="no-such-dataset"))
except Exception as error:  # what a person at a prompt would see
    refused = str(error)

forbidden = None
try:
    package.publish(control=control(dataset="river-forecasts", apikey="no-such-key"))
except Exception as error:
    forbidden = str(error)

print(json.dumps({
    "url": published.url,
    "title": read.title,
    "tables": {r.name: [list(row.values()) for row in r.read_rows()] for r in files},
    "types": {r.name: [field.type for field in r.schema.fields] for r in files},
    "catalog": catalog.dataset_names,
    "refused": refused,
    "forbidden": forbidden,
}, default=str))
