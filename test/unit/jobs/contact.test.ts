/** Decides whether a worker may treat lapsed leases of others as dead processes. */
import { expect, it } from '@jest/globals';
import { createContact } from '../../../src/jobs/contact.ts';

const TIMES = { lease: 40, beat: 10, poll: 10, steady: 45 };

function contactAt() {
  let seconds = 0;
  const contact = createContact(TIMES, () => seconds * 1000);
  return { contact, at: (second: number) => (seconds = second) };
}

it('is steady only after answers for a period of time', () => {
  const { contact, at } = contactAt();
  expect(contact.isSteady()).toBe(false);
  for (const second of [10, 20, 30, 40]) {
    at(second);
    contact.answered();
    expect(contact.isSteady()).toBe(false);
  }
  at(45);
  expect(contact.isSteady()).toBe(true);
});

it.each([
  ['the next look', () => {}],
  ['the next answer', (contact: { answered(): void }) => contact.answered()],
])('restarts the period after a silence of half a lease, noticed by %s', (_by, notice) => {
  const { contact, at } = contactAt();
  for (const second of [20, 40, 60]) {
    at(second);
    contact.answered();
  }
  expect(contact.isSteady()).toBe(true);
  at(81);
  notice(contact);
  expect(contact.isSteady()).toBe(false);
  for (const second of [81, 100, 120]) {
    at(second);
    contact.answered();
  }
  at(125);
  expect(contact.isSteady()).toBe(false);
  at(126);
  expect(contact.isSteady()).toBe(true);
});
