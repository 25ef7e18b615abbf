import { expect, it } from '@jest/globals';
import { dispositionOf } from '../../../facades/shared/disposition.ts';
import { plainFileName } from '../../../src/infra/files/names.ts';

const BIDI = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c';
const INVISIBLE =
  '\u0000\r\n\t\u007f\u0085\u00ad\u034f\u115f\u180e\u200b\u200c\u200d\u2028\u2029\u2060\u3164\ufeff\ufff9\ud800';

it.each([
  [`ph${BIDI}oto${INVISIBLE}.csv`, 'photo.csv'],
  ['\u202egpj.exe', 'gpj.exe'],
  ['C:\\data\\My Data.csv', 'My Data.csv'],
  ['../../etc/passwd', 'passwd'],
  [`${BIDI}`, 'file'],
  ['..', 'file'],
  ['.', 'file'],
  ['', 'file'],
  ['flüsse 日本 🌊.csv', 'flüsse 日本 🌊.csv'],
  [`🌊${'x'.repeat(254)}`, 'x'.repeat(254)],
  [`${'\u202e'.repeat(300)}a.csv`, 'a.csv'],
])('cleans %j to %j', (given, name) => expect(plainFileName(given)).toBe(name));

it('cleans stored file names in the Content-Disposition header', () => {
  expect(dispositionOf(`a${BIDI}${INVISIBLE}.csv`, false)).toBe(`attachment; filename="a.csv"; filename*=UTF-8''a.csv`);
});
