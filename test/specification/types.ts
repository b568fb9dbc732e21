import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { expect } from 'vitest';
import { misspelt } from '../api/support/misspelt.ts';
import { createWallet, linkBody } from '../api/support/test-api.ts';
import { newOrder, own } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { send, type World } from './world.ts';

async function link(world: World, given: object) {
  const { status, text } = await send(world, 'POST', '/addresses', {
    as: 'private',
    json: { ...(await linkBody(createWallet())), ...given },
  });
  return { status, json: JSON.parse(text) as { errors?: Record<string, string>; chains?: string[] } };
}

async function linkOn(world: World, chain: string) {
  const wallet = createWallet();
  return link(world, { ...(await linkBody(wallet)), chain });
}

async function order(world: World, given: Record<string, unknown>) {
  const { status, text } = await send(world, 'POST', '/orders', { as: 'private', json: await newOrder(world, given) });
  return { status, json: JSON.parse(text) };
}

/** The shared types (docs/api.md, Shared types). */
export const types: Fact[] = [
  {
    row: 'UUID',
    says: 'lowercase hex 8-4-4-4-12, version-4 pattern, also of what an Idempotency-Key makes and of an issue order; of any version where a client chooses it',
    async holds(world) {
      const id = randomUUID();
      const { text } = await send(world, 'POST', '/profiles', { as: 'whitelabel', json: { kind: 'personal', id: id.toUpperCase() } });
      expect(JSON.parse(text).id).toBe(id);
      const wrong = await send(world, 'POST', '/profiles', { as: 'whitelabel', json: { kind: 'personal', id: `${id}0` } });
      expect(JSON.parse(wrong.text).errors).toEqual({ id: 'must be a UUID' });
      for (const chosen of ['0190a000-0000-7000-8000-000000000001', '18a000d8-db69-84df-b91a-47a14fbcf155'])
        expect((await order(world, { id: chosen })).json.id).toBe(chosen);
      const once = async (path: string, json: unknown, as: 'private' | 'whitelabel') =>
        JSON.parse((await send(world, 'POST', path, { as, json, headers: { 'Idempotency-Key': randomUUID() } })).text) as { id: string };
      shapes.uuid.parse((await once('/orders', await newOrder(world), 'private')).id);
      shapes.uuid.parse((await once('/profiles', { kind: 'personal' }, 'whitelabel')).id);
      await send(world, 'POST', '/sandbox/credits', {
        as: 'private',
        json: { iban: own(world).iban, amount: '1.00', currency: 'eur', payer: { name: 'Jón' } },
      });
      const { orders } = JSON.parse((await send(world, 'GET', '/orders', { as: 'private' })).text) as {
        orders: { id: string; kind: string }[];
      };
      shapes.uuid.parse(orders.find(({ kind }) => kind === 'issue')?.id);
    },
  },
  {
    row: 'Address',
    says: '0x and 40 hexadecimal digits, of any case, answered in checksum form',
    async holds(world) {
      const { address } = own(world).wallet;
      for (const spelling of [address, address.toLowerCase(), misspelt(address)]) {
        const { text } = await send(world, 'GET', `/addresses/${spelling}`, { as: 'private' });
        expect(JSON.parse(text).address).toBe(getAddress(address));
      }
      expect((await link(world, { address: '0x12' })).json.errors?.['address']).toMatch(/^must be an address/);
    },
  },
  {
    row: 'Chain',
    says: 'one-word names, and those of two words as aliases; others, and members that are not configured, are 400',
    async holds(world) {
      for (const alias of ['basesepolia', 'base sepolia']) expect((await linkOn(world, alias)).json.chains).toEqual(['basesepolia']);
      for (const chain of ['ethereum', 'scroll', 'linea sepolia', 'noble', 'noble grand'])
        expect((await linkOn(world, chain)).json.errors?.['chain']).toMatch(/^is not configured here/);
      expect((await linkOn(world, 'bitcoin')).json.errors?.['chain']).toMatch(/^is not a chain/);
    },
  },
  {
    row: 'Currency',
    says: 'enum eur, usd, gbp, isk',
    async holds(world) {
      expect((await order(world, { currency: 'chf' })).json.errors).toMatchObject({ currency: expect.any(String) });
    },
  },
  {
    row: 'IBAN',
    says: 'spaces are accepted for readability; values are stored without spaces',
    async holds(world) {
      const counterpart = {
        identifier: { standard: 'iban', iban: 'DE89 3704 0044 0532 0130 00' },
        details: { name: 'Max', country: 'DE' },
      };
      expect((await order(world, { counterpart })).json.counterpart.identifier).toEqual({
        standard: 'iban',
        iban: 'DE89370400440532013000',
      });
      const wrong = { ...counterpart, identifier: { standard: 'iban', iban: 'DE88370400440532013000' } };
      expect((await order(world, { counterpart: wrong })).status).toBe(400);
    },
  },
  {
    row: 'TimeStamp',
    says: 'RFC 3339 UTC',
    async holds(world) {
      expect((await order(world, {})).json.meta.placedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    },
  },
  {
    row: 'Memo, ReferenceNumber',
    says: 'UTF-8; a memo is always there in responses, a reference number when it was given',
    async holds(world) {
      expect((await order(world, {})).json).toMatchObject({ memo: 'Powered by Mintrail' });
      const given = { memo: 'Miete für Mai 🏠', referenceNumber: 'RF18 5390 0754 7034' };
      expect((await order(world, given)).json).toMatchObject(given);
    },
  },
  {
    row: 'Risk category',
    says: 'enum low, medium, high, restricted, prohibited',
    async holds(world) {
      const { countries, total } = shapes.countries.parse(JSON.parse((await send(world, 'GET', '/countries', {})).text));
      expect(total).toBe(countries.length);
    },
  },
];
