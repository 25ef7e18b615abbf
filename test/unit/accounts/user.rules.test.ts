import { describe, expect, it } from '@jest/globals';
import { checkChosen, checkUser } from '../../../src/accounts/user/user.rules.ts';

const free = { name: false, id: false, apiKey: false };

/** Messages about invalid fields. */
const faultsOf = (fields: Parameters<typeof checkUser>[0], taken = free): string[] =>
  checkUser(fields, taken).map(({ message }) => message);

describe('a name', () => {
  it.each(['ab', 'me', 'a-b_9', 'x'.repeat(100)])('may be %s', (name) => {
    expect(faultsOf({ name })).toEqual([]);
  });

  it.each([
    ['', 'Missing value'],
    ['a', 'Must be at least 2 characters long'],
    ['search', 'That name cannot be used'],
    ['reset', 'That name cannot be used'],
    ['user.dot', 'Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
    ['ab\n', 'Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
    ['é'.repeat(5), 'Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
    ['x'.repeat(101), 'Name must be a maximum of 100 characters long'],
  ])('may not be %j', (name, message) => {
    expect(faultsOf({ name })).toEqual([message]);
  });

  it('must not be taken', () => {
    expect(faultsOf({ name: 'taken' }, { ...free, name: true })).toEqual(['That login name is not available.']);
  });
});

describe('a password', () => {
  it('has 8 to 1,000 characters, counted as code points', () => {
    expect(faultsOf({ password: '1234567' })).toEqual(['Your password must be 8 characters or longer']);
    expect(faultsOf({ password: '😀'.repeat(7) })).toHaveLength(1);
    expect(faultsOf({ password: '12345678' })).toEqual([]);
    expect(faultsOf({ password: 'x'.repeat(1_000) })).toEqual([]);
    expect(faultsOf({ password: 'x'.repeat(1_001) })).toHaveLength(1);
  });
});

describe('checkUser', () => {
  it('reports every problem at once and ignores omitted fields', () => {
    expect(
      checkUser({ name: 'Bad Name', email: '', password: 'short', state: 'asleep' }, free).map(({ path }) => path[0]),
    ).toEqual(['name', 'email', 'password', 'state']);
    expect(checkUser({}, free)).toEqual([]);
  });
});

describe('checkChosen', () => {
  it('lets only system administrators set ids and API keys', () => {
    expect(checkChosen({ databaseId: 'mine', apiKey: 'mine' }, free, false)).toHaveLength(2);
    expect(checkChosen({ databaseId: 'mine', apiKey: 'mine' }, free, true)).toEqual([]);
    expect(checkChosen({}, free, false)).toEqual([]);
  });

  it('refuses API keys that a header cannot carry unchanged', () => {
    for (const apiKey of ['', 'two words', 'ключ', 'x\r\ny', 'k'.repeat(201)])
      expect(checkChosen({ apiKey }, free, true)).toHaveLength(1);
  });

  it('does not reveal taken ids to users who may not set them', () => {
    expect(checkChosen({ databaseId: 'mine' }, { ...free, id: true }, true)).toEqual([
      { path: ['databaseId'], message: 'User id already exists' },
    ]);
    expect(checkChosen({ databaseId: 'mine' }, { ...free, id: true }, false)).toEqual([
      { path: ['databaseId'], message: 'Only system administrators may set it' },
    ]);
  });
});
