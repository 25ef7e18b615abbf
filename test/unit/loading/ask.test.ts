import { expect, it } from '@jest/globals';
import { laneOf } from '../../../src/loading/ask/ask.rules.ts';

const resource = { id: 'r', url: '', urlType: null, format: 'CSV', lastModified: null, hash: '' };

it.each([
  ['rivers.csv', 'upload', { urgent: true, host: null }],
  ['https://Data.Example:8443/rivers.csv', null, { urgent: false, host: 'data.example:8443' }],
  ['https://data.example/rivers.csv', 'upload', { urgent: false, host: 'data.example' }],
  ['http://[::1', null, { urgent: false, host: null }],
])('a load of %s (%s) is in the lane %j', (url, urlType, lane) => {
  expect(laneOf({ ...resource, url, urlType })).toEqual(lane);
});
