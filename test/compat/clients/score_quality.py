"""Scores metadata by the published tables of data.europa.eu: `score_quality.py FOLDER VOCABULARIES SHAPES`.

FOLDER holds one folder per dataset with data.nt, its description, and facts.json: whether its license is open, and its
resources with address, ownership of the file and verdict of the link. VOCABULARIES is a JSON file of lists. The compliance
with DCAT-AP is the verdict of pyshacl with SHAPES. Knows nothing of the catalog. Prints the scores by dataset as JSON.
"""
import collections
import json
import os
import sys
from urllib.parse import unquote

from pyshacl import constraints, validate
from rdflib import RDF, Graph, Namespace, URIRef

DCAT = Namespace('http://www.w3.org/ns/dcat#')
DCT = Namespace('http://purl.org/dc/terms/')
SH = Namespace('http://www.w3.org/ns/shacl#')
AUTHORITY = 'http://publications.europa.eu/resource/authority/'
# pyshacl looks up every property of every shape in this list; a set takes a tenth of the time.
constraints.ALL_CONSTRAINT_PARAMETERS = frozenset(constraints.ALL_CONSTRAINT_PARAMETERS)

# The tables of https://data.europa.eu/mqa/methodology: dimension, check, points.
TABLE = [
    ('FINDABILITY', 'KEYWORDS', 30),
    ('FINDABILITY', 'CATEGORIES', 30),
    ('FINDABILITY', 'SPATIAL', 20),
    ('FINDABILITY', 'TEMPORAL', 20),
    ('ACCESSIBILITY', 'ACCESS_URL_WORKS', 50),
    ('ACCESSIBILITY', 'DOWNLOAD_URL', 20),
    ('ACCESSIBILITY', 'DOWNLOAD_URL_WORKS', 30),
    ('INTEROPERABILITY', 'FORMAT', 20),
    ('INTEROPERABILITY', 'MEDIA_TYPE', 10),
    ('INTEROPERABILITY', 'FORMAT_VOCABULARY', 10),
    ('INTEROPERABILITY', 'NON_PROPRIETARY', 20),
    ('INTEROPERABILITY', 'MACHINE_READABLE', 20),
    ('INTEROPERABILITY', 'DCAT_AP', 30),
    ('REUSABILITY', 'LICENSE', 20),
    ('REUSABILITY', 'LICENSE_VOCABULARY', 10),
    ('REUSABILITY', 'ACCESS_RIGHTS', 10),
    ('REUSABILITY', 'ACCESS_RIGHTS_VOCABULARY', 5),
    ('REUSABILITY', 'CONTACT_POINT', 20),
    ('REUSABILITY', 'PUBLISHER', 10),
    ('CONTEXTUALITY', 'RIGHTS', 5),
    ('CONTEXTUALITY', 'BYTE_SIZE', 5),
    ('CONTEXTUALITY', 'ISSUED', 5),
    ('CONTEXTUALITY', 'MODIFIED', 5),
]


def rating(points):
    return 'EXCELLENT' if points > 350 else 'GOOD' if points > 220 else 'SUFFICIENT' if points > 120 else 'BAD'


class Scorer:
    def __init__(self, vocabularies):
        self.sets = {name: set(values) for name, values in vocabularies.items()}

    def in_table(self, name, values):
        return any(str(value).removeprefix(AUTHORITY + name + '/') in self.sets[name] for value in values
                   if str(value).startswith(AUTHORITY + name + '/'))

    def listed(self, kind, values):
        prefix = AUTHORITY + 'file-type/'
        return any(str(value)[len(prefix):] in self.sets[kind] for value in values if str(value).startswith(prefix))

    def media_type(self, values):
        prefix = 'https://www.iana.org/assignments/media-types/'
        return any(str(value)[len(prefix):].lower() in self.sets['media-type'] for value in values
                   if str(value).startswith(prefix))

    def license(self, values):
        if self.in_table('licence', values):
            return True
        for value in values:
            text = str(value)
            for start in ('https://', 'http://'):
                if text.lower().startswith(start):
                    text = text[len(start):]
                    break
            if text.lower().startswith('www.'):
                text = text[4:]
            if text.removesuffix('/') in self.sets['license-document']:
                return True
        return False

    def access(self, distribution, addresses, facts):
        """'1' works, '0' does not, '?' unknown; '0' without an address."""
        resource = facts['resources'].get(unquote(str(distribution).rsplit('/', 1)[-1]))
        results = ['0']
        for address in addresses:
            if resource is None or unquote(str(address)).rstrip('/') != unquote(resource['url'].strip()).rstrip('/'):
                results.append('?')
            elif resource['own']:
                results.append('1')
            else:
                results.append({'ok': '1', 'moved': '1', 'broken': '0', 'forbidden': '0'}.get(resource['verdict'], '?'))
        return '1' if '1' in results else '?' if '?' in results else '0'

    def distribution(self, graph, node, facts):
        formats, types = list(graph.objects(node, DCT['format'])), list(graph.objects(node, DCAT.mediaType))
        licenses, downloads = list(graph.objects(node, DCT.license)), list(graph.objects(node, DCAT.downloadURL))
        return {
            'ACCESS_URL_WORKS': self.access(node, graph.objects(node, DCAT.accessURL), facts),
            'DOWNLOAD_URL': bool(downloads),
            'DOWNLOAD_URL_WORKS': self.access(node, downloads, facts),
            'FORMAT': bool(formats),
            'MEDIA_TYPE': bool(types),
            'FORMAT_VOCABULARY': self.in_table('file-type', formats) and self.media_type(types),
            'NON_PROPRIETARY': self.listed('non-proprietary', formats),
            'MACHINE_READABLE': self.listed('machine-readable', formats),
            'LICENSE': bool(licenses),
            'LICENSE_VOCABULARY': self.license(licenses),
            'RIGHTS': (node, DCT.rights, None) in graph,
            'BYTE_SIZE': (node, DCAT.byteSize, None) in graph,
        }, formats

    def stars(self, formats, access):
        if access == '0':
            return 0
        codes = [str(value).removeprefix(AUTHORITY + 'file-type/') for value in formats]
        return max([1] + [int(stars) for code in codes for stars in '234' if code in self.sets['stars-' + stars]])

    def dataset(self, graph, complies, facts):
        node = next(graph.subjects(RDF.type, DCAT.Dataset))
        nodes = sorted(graph.objects(node, DCAT.distribution), key=str)
        found = [self.distribution(graph, each, facts) for each in nodes]
        rights = list(graph.objects(node, DCT.accessRights))
        met = {
            'KEYWORDS': (node, DCAT.keyword, None) in graph,
            'CATEGORIES': (node, DCAT.theme, None) in graph,
            'SPATIAL': (node, DCT.spatial, None) in graph,
            'TEMPORAL': (node, DCT.temporal, None) in graph,
            'DCAT_AP': complies,
            'ACCESS_RIGHTS': bool(rights),
            'ACCESS_RIGHTS_VOCABULARY': self.in_table('access-right', rights),
            'CONTACT_POINT': (node, DCAT.contactPoint, None) in graph,
            'PUBLISHER': (node, DCT.publisher, None) in graph,
            'ISSUED': any((each, DCT.issued, None) in graph for each in [node, *nodes]),
            'MODIFIED': any((each, DCT.modified, None) in graph for each in [node, *nodes]),
        }
        letters, dimensions = '', collections.Counter()
        for dimension, check, points in TABLE:
            if check in met:
                letter = '1' if met[check] else '0'
            elif not found:
                letter = '0'
            else:
                sums = [sum(p for d, c, p in TABLE if d == dimension and c in results and results[c] in (True, '1'))
                        for results, _ in found]
                value = found[sums.index(max(sums))][0][check]
                letter = value if isinstance(value, str) else '1' if value else '0'
            letters += letter
            dimensions[dimension] += points if letter == '1' else 0
        stars = [self.stars(formats, results['ACCESS_URL_WORKS']) for results, formats in found]
        total = sum(dimensions.values())
        return {'points': total, 'rating': rating(total), 'dimensions': dict(dimensions), 'checks': letters,
                'stars': max([0] + stars) if facts['isopen'] else 0}


def violating(graphs, shapes):
    """Names of the datasets whose graph has a violation."""
    everything, owners = Graph(), collections.defaultdict(set)
    for name, graph in graphs.items():
        for triple in graph:
            everything.add(triple)
            owners[triple[0]].add(name)
    _, report, _ = validate(everything, shacl_graph=shapes, inference=None, advanced=False)
    found = set()
    for result in report.subjects(RDF.type, SH.ValidationResult):
        if report.value(result, SH.resultSeverity) == SH.Violation:
            found |= owners[report.value(result, SH.focusNode)]
    return found


def main():
    folder, vocabularies, shapes = sys.argv[1:]
    with open(vocabularies, encoding='utf-8') as file:
        scorer = Scorer(json.load(file))
    names = sorted(os.listdir(folder))
    graphs = {name: Graph().parse(os.path.join(folder, name, 'data.nt'), format='nt') for name in names}
    faulty = violating(graphs, Graph().parse(shapes, format='turtle'))
    scores = {}
    for name in names:
        with open(os.path.join(folder, name, 'facts.json'), encoding='utf-8') as file:
            scores[name] = scorer.dataset(graphs[name], name not in faulty, json.load(file))
    json.dump(scores, sys.stdout)


main()
