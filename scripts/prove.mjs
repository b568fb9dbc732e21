// `npm run prove`: proves two properties of the token with the solver z3 (Debian: apt-get install z3).
//
// 1. The supply is the sum of the balances, for any sequence of calls (contracts/model/SupplyModel.sol, by solc's SMTChecker).
// 2. A sequence number is issued at most once: from any state of the bitmap, a run of items uses only numbers whose bit was unset, sets the bits
//    of exactly those, and changes no other (bit vectors, which the SMTChecker cannot do: given to z3 directly).
//
// With --short, as in `npm test`, a run has two items, the fewest that have a next one; else three, which takes a minute.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
// Ten seconds of work each, on machines that may be busy.
const timeoutSeconds = 300;
const runOfItems = process.argv.includes('--short') ? 2 : 3;

if (spawnSync('z3', ['--version']).status === 0) {
  const failures = [...proveSupply(), ...proveBitmap()];
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
} else {
  console.log('Nothing was proven: z3 is not installed. On Debian: apt-get install z3');
}

function proveSupply() {
  const name = 'contracts/model/SupplyModel.sol';
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: fs.readFileSync(path.join(root, name), 'utf8') } },
    settings: {
      modelChecker: {
        engine: 'chc',
        solvers: ['smtlib2'],
        targets: ['assert'],
        extCalls: 'trusted',
        contracts: { [name]: ['SupplyModel'] },
        showProvedSafe: true,
        showUnproved: true,
      },
      outputSelection: { '*': { '*': ['abi'] } },
    },
  };
  const output = JSON.parse(require('solc').compile(JSON.stringify(input), { smtSolver: (query) => ({ contents: runZ3(query) }) }));
  const findings = output.errors ?? [];
  const proven = findings.filter(({ message }) => /Assertion violation check is safe/.test(message));
  for (const { formattedMessage } of proven) console.log(formattedMessage.trim());
  const doubts = findings.filter((finding) => !/check is safe|solver.*not|SPDX/i.test(finding.message));
  if (doubts.length > 0) return doubts.map(({ formattedMessage }) => formattedMessage);
  return proven.length === 3 ? [] : [`${proven.length} of 3 assertions of ${name} were proven`];
}

function proveBitmap() {
  const answer = runZ3(bitmapQuery(runOfItems)).trim();
  if (answer !== 'unsat') return [`the bitmap of sequence numbers is not proven: ${answer}`];
  console.log(`A run of ${runOfItems} items uses each sequence number at most once, and touches no other: proven.`);
  return [];
}

/** SMT-LIB: `_issueRun` of EMoneyToken.sol, unrolled for some items, and the denial of what it promises. */
function bitmapQuery(items) {
  const lines = [
    '(set-logic QF_ABV)',
    '(declare-const before (Array (_ BitVec 56) (_ BitVec 256)))',
    '(declare-const first (_ BitVec 64))',
    '(declare-const any (_ BitVec 64))',
    '(define-fun wordOf ((n (_ BitVec 64))) (_ BitVec 56) ((_ extract 63 8) n))',
    '(define-fun bitOf ((n (_ BitVec 64))) (_ BitVec 256) (bvshl (_ bv1 256) ((_ zero_extend 248) ((_ extract 7 0) n))))',
    '(define-fun isSet ((bits (Array (_ BitVec 56) (_ BitVec 256))) (n (_ BitVec 64))) Bool (not (= (bvand (select bits (wordOf n)) (bitOf n)) (_ bv0 256))))',
    // PackedBatch.readRun: the run ends within 64 bits.
    `(assert (bvule first (bvsub (_ bv18446744073709551615 64) (_ bv${items - 1} 64))))`,
    '(define-fun state0 () (Array (_ BitVec 56) (_ BitVec 256)) before)',
    '(define-fun word0 () (_ BitVec 256) (select before (wordOf first)))',
  ];
  for (let i = 0; i < items; i++) {
    const isLast = i === items - 1;
    lines.push(
      `(define-fun n${i} () (_ BitVec 64) (bvadd first (_ bv${i} 64)))`,
      `(declare-const nonzero${i} Bool)`,
      `(define-fun used${i} () Bool (and (= (bvand word${i} (bitOf n${i})) (_ bv0 256)) nonzero${i}))`,
      `(define-fun changed${i} () (_ BitVec 256) (ite used${i} (bvor word${i} (bitOf n${i})) word${i}))`,
      // The word is stored at the end of the run, and where the next number lies in another.
      `(define-fun stores${i} () Bool ${isLast ? 'true' : `(= ((_ extract 7 0) (bvadd n${i} (_ bv1 64))) (_ bv0 8))`})`,
      `(define-fun state${i + 1} () (Array (_ BitVec 56) (_ BitVec 256)) (ite stores${i} (store state${i} (wordOf n${i}) changed${i}) state${i}))`,
      `(define-fun word${i + 1} () (_ BitVec 256) (ite stores${i} (select state${i + 1} (wordOf (bvadd n${i} (_ bv1 64)))) changed${i}))`,
    );
  }
  const each = Array.from({ length: items }, (_, i) => i);
  const promises = [
    ...each.map((i) => `(=> used${i} (not (isSet before n${i})))`),
    `(= (isSet state${items} any) (or (isSet before any) ${each.map((i) => `(and used${i} (= any n${i}))`).join(' ')}))`,
  ];
  return [...lines, `(assert (not (and ${promises.join(' ')})))`, '(check-sat)'].join('\n');
}

function runZ3(query) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mintrail-prove-'));
  try {
    const file = path.join(folder, 'query.smt2');
    fs.writeFileSync(file, query);
    const options = ['rewriter.pull_cheap_ite=true', 'fp.spacer.q3.use_qgen=true', 'fp.spacer.mbqi=false', 'fp.spacer.ground_pobs=false'];
    return spawnSync('z3', ['-smt2', `-T:${timeoutSeconds}`, ...options, file], { encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
