"""Reads linked data as others do: `check_rdf.py FOLDER SHAPES`.

FOLDER holds one folder per dataset with data.rdf, .ttl, .jsonld, .n3 and .nt. Each must be read by rdflib, and the five graphs of
a dataset must be isomorphic. All of them together are held against the DCAT-AP shapes by pyshacl. Prints what it found as JSON.
"""
import collections
import gc
import json
import logging
import os
import sys

from pyshacl import constraints, validate
from rdflib import Graph, RDF, Namespace
from rdflib.compare import _TripleCanonicalizer

FORMATS = {'rdf': 'xml', 'ttl': 'turtle', 'jsonld': 'json-ld', 'n3': 'n3', 'nt': 'nt'}
SH = Namespace('http://www.w3.org/ns/shacl#')
# pyshacl looks up every property of every shape in this list; a set takes a tenth of the time.
constraints.ALL_CONSTRAINT_PARAMETERS = frozenset(constraints.ALL_CONSTRAINT_PARAMETERS)
gc.disable()  # everything stays until the end


class Complaints(logging.Handler):
    """What rdflib says of terms that are not what they should be."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage()[:200])


def read(folder, complaints):
    graphs = {}
    for suffix, name in FORMATS.items():
        graphs[suffix] = Graph().parse(os.path.join(folder, 'data.' + suffix), format=name)
    # As rdflib.compare.isomorphic compares two, with the hash of each graph made once.
    hashes = {suffix: _TripleCanonicalizer(graph).to_hash() for suffix, graph in graphs.items()}
    odd = [suffix for suffix in FORMATS if hashes[suffix] != hashes['nt']]
    return graphs['nt'], odd


def short(value):
    return str(value).rsplit('#', 1)[-1].rsplit('/', 1)[-1]


def violations(data, shapes):
    _, report, _ = validate(data, shacl_graph=shapes, inference=None, advanced=False)
    for result in report.subjects(RDF.type, SH.ValidationResult):
        if report.value(result, SH.resultSeverity) != SH.Violation:
            continue
        path, kind, focus = (report.value(result, p) for p in (SH.resultPath, SH.sourceConstraintComponent, SH.focusNode))
        value = report.value(result, SH.value)
        classes = sorted(short(c) for c in data.objects(focus, RDF.type))
        yield ' '.join(['/'.join(classes), short(path), short(kind)]), str(focus), None if value is None else str(value)


def main():
    folder, *shape_files = sys.argv[1:]
    complaints = Complaints()
    logging.getLogger('rdflib').addHandler(complaints)
    logging.getLogger('rdflib').propagate = False
    everything, different, triples = Graph(), [], 0
    names = sorted(os.listdir(folder))
    for name in names:
        graph, odd = read(os.path.join(folder, name), complaints)
        triples += len(graph)
        different += [f'{name}.{suffix}' for suffix in odd]
        for triple in graph:
            everything.add(triple)
    shapes = Graph()
    for file in shape_files:
        shapes.parse(file, format='turtle')
    kinds, examples = collections.Counter(), {}
    for kind, focus, value in violations(everything, shapes):
        kinds[kind] += 1
        examples.setdefault(kind, []).append([focus, value])
    json.dump({
        'datasets': len(names),
        'triples': triples,
        'different': different,
        'complaints': sorted(set(complaints.said)),
        'violations': dict(sorted(kinds.items())),
        'examples': {kind: some[:3] for kind, some in examples.items()},
    }, sys.stdout)


main()
