import { afterAll, beforeAll, expect, it } from 'vitest';
import { type VerbName, verbs as actions } from '../../../src/operations/registry.ts';
import { administrationExercises } from './administration.ts';
import { bankExercises } from './bank.ts';
import { customerExercises } from './customers.ts';
import { networkExercises } from './networks.ts';
import { type ConsoleSandbox, type ConsoleWorld, createConsoleWorld } from './world.ts';
import { acceptInvitation, signIn } from '../console-person.ts';
import { pay } from '../customers.ts';
import { insist } from '../insist.ts';
import { signalAll } from '../../support/processes/process-tree.ts';

/** Actions that no page offers: a command asks for them, and the page of approvals has what waits for a second person (`test/operations/twins/`). */
const ofCommands = [
  'users.reset-factors',
  'users.sign-out',
  'recovery.begin',
  'recovery.apply',
  'recovery.accept',
  'recovery.set-aside',
] as const;

type ActionName = Exclude<VerbName, (typeof ofCommands)[number]>;

/** What each action is tried by, in the order in which a service comes to them: a later one finds what an earlier one has left. */
const exercisesOf = (world: ConsoleWorld) =>
  ({
    ...customerExercises(world),
    ...bankExercises(world),
    ...administrationExercises(world),
    ...networkExercises(world),
  }) satisfies Record<ActionName, () => Promise<void>>;

const order = [
  'customers.approve',
  'customers.ask-for-more',
  'customers.reject',
  'customers.decide-address',
  'customers.release-address',
  'bank.import',
  'bank.return',
  'bank.settle',
  'bank.match',
  'bank.repeat',
  'bank.not-booked',
  'bank.accept-gap',
  'bank.recover-claim',
  'bank.write-off-claim',
  'bank.undo-claim',
  'bank.explain',
  'bank.accept-recall',
  'bank.refuse-recall',
  'bank.undo-recall',
  'bank.reject-payment',
  'orders.give-back',
  'orders.release',
  'reserve.acknowledge',
  'webhooks.replay',
  'applications.register',
  'applications.origins',
  'applications.rotate-secret',
  'applications.approve',
  'applications.disable',
  'operators.add',
  'operators.role',
  'operators.reset',
  'operators.disable',
  'operators.enable',
  'networks.prepare',
  'networks.sign',
  'networks.withdraw',
] as const satisfies ActionName[];

const addresses = [
  '/',
  '/orders',
  '/customers',
  '/customers?state=rejected',
  ...['', '/files', '/debits', '/claims', '/recalls', '/payments', '/payment-files', '/statements', '/closing'].map((tab) => `/bank${tab}`),
  '/networks',
  '/webhooks',
  '/approvals',
  '/applications',
  '/operators',
  '/audit',
  '/settings',
];
const forAdministrators = new Set(['/operators', '/settings']);

/** The buttons of actions on these pages. */
const actionLabels =
  /^(Give back|Acknowledge|Match|Match to payment|Not a repeat: match|Return|Repeat|Settle|Not booked|Reject|Explain|Accept gap|Recover|Write off|Undo|Accept|Refuse|Upload a file|Approve|Ask for more|It is theirs|Release|Register an application|Rotate secret|Origins|Disable|Send what waits|Prepare a change|Withdraw|Replay|Replay failed)$/;

/** How wide the page is when it is wider than the screen, and the beginnings of the elements that make it so. */
const beyondTheScreen = `document.documentElement.scrollWidth <= window.innerWidth ? [] : [document.documentElement.scrollWidth + ' px',
  ...[...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > window.innerWidth).map(({ outerHTML }) => outerHTML.slice(0, 200))]`;

/** The texts of cells that are laid out over the next cell of their row. */
const overlappingCells = `[...document.querySelectorAll('[role=row]')].flatMap((row) => [...row.children].flatMap((cell, index) => {
  const next = row.children[index + 1];
  if (!next || cell.getBoundingClientRect().top !== next.getBoundingClientRect().top) return [];
  const range = document.createRange();
  range.selectNodeContents(cell);
  const isClipped = getComputedStyle(cell).overflow !== 'visible' || [...cell.querySelectorAll('*')].some((inner) => getComputedStyle(inner).overflowX === 'hidden');
  return !isClipped && range.getBoundingClientRect().right > next.getBoundingClientRect().left + 2 ? [cell.textContent] : [];
}))`;

/** `npm run test:console` tries every action and looks at every page, which takes some minutes. */
export const isWhole = process.env['CONSOLE'] === 'all';

const tried: readonly ActionName[] = isWhole ? order : ['customers.approve', 'bank.import', 'bank.return', 'bank.settle', 'operators.add'];
const seen = isWhole ? addresses : ['/', '/orders', '/bank', '/bank/files'];

/** The tests of the console of a sandbox that runs. */
export function consoleOfSandbox(running: () => Promise<ConsoleSandbox>): void {
  let world: ConsoleWorld;
  let exercises: ReturnType<typeof exercisesOf>;

  beforeAll(async () => {
    world = await createConsoleWorld(await running());
    exercises = exercisesOf(world);
  });
  afterAll(() => world?.close());

  it.each(tried)('%s is done with what has really happened', async (name) => exercises[name]());

  it('has no action that is not tried here', () => {
    expect([...order, ...ofCommands].toSorted()).toEqual(actions.map(({ name }) => name).toSorted());
  });

  it('has really carried out each of them', async () => {
    const { json } = await world.asker.send('GET', '/api/approvals?state=all&limit=200');
    const approved = (json['approvals'] as { action: string; state: string }[]).filter(({ state }) => state === 'done');
    const done = new Set([...world.asker.done, ...approved.map(({ action }) => action)]);
    expect(tried.filter((name) => !done.has(name))).toEqual([]);
  });

  it.each(seen)('%s shows what others wrote as text, each in its own place', async (address) => {
    const { asker } = world;
    await asker.open(address);
    expect(await asker.page.title()).toMatch(/ · Mintrail$/);
    expect(await asker.page.evaluate<string[]>(beyondTheScreen)).toEqual([]);
    expect(await asker.page.evaluate<string[]>(overlappingCells)).toEqual([]);
  });

  it('ran no script and hurt no policy', () => {
    expect(world.asker.complaints).toEqual([]);
    expect(world.approver.complaints).toEqual([]);
  });

  it('goes on by itself after its own process and the database were killed', async () => {
    const { asker, client, run, anna } = world;
    const { page } = asker;
    await asker.open('/orders');
    await page.evaluate('window.isSamePage = true');
    const isShown = (sign: RegExp) => page.getByRole('status').getByText(sign).waitFor();
    const goesOn = async () => {
      await page.getByText('Live', { exact: true }).waitFor();
      const before = await page.getByRole('row').count();
      await insist(async () => pay(client, anna, '3.21'));
      await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(before);
    };
    signalAll(run.find(/main\.ts console/), 'SIGKILL');
    await isShown(/^Reconnecting…$/);
    await goesOn();

    // It answers nobody until it is killed: on a quick machine it would be back before anybody noticed.
    const database = run.find(/postgres.* -D /);
    signalAll(database, 'SIGSTOP');
    await isShown(/^Database away$/);
    signalAll(database, 'SIGKILL');
    await goesOn();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    // The browser itself complains of what it could not load.
    asker.complaints.splice(0);
  });

  it('shows a viewer everything and lets them do nothing, until their session ends', async () => {
    const { person: viewer } = await acceptInvitation(world.browser, await world.operator('add', 'vera', '--role', 'viewer'));
    for (const address of seen.filter((other) => !forAdministrators.has(other))) {
      await viewer.open(address);
      const names = await viewer.page.locator('main').getByRole('button').allTextContents();
      expect(
        names.filter((name) => actionLabels.test(name)),
        address,
      ).toEqual([]);
    }
    for (const { name } of actions)
      expect(await viewer.send('POST', `/api/actions/${name}`), name).toMatchObject({ status: 403, json: { code: 'role_not_sufficient' } });
    expect(viewer.complaints).toEqual([]);
    await world.operator('disable', 'vera');
    await viewer.page.getByText('Your session has ended.').waitFor();
  });

  it('lets an operator in again who has lost the app, by a recovery code, once', async () => {
    const { asker, recoveryCodes } = world;
    const [code = ''] = recoveryCodes;
    for (const isFirst of [true, false]) {
      await asker.send('POST', '/api/sign-out');
      await asker.page.getByText('Your session has ended.').waitFor();
      if (isFirst) await signIn(asker, code);
      else await expect(signIn(asker, code, 2_000)).rejects.toThrow();
    }
  });
}
