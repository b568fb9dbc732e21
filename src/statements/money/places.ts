import { type Relation, relationOf } from './compare-lines.ts';
import { type LineGroup, likenessOfGroups } from './match-groups.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';

/** Money while it is gathered. */
export interface Candidate extends LineGroup {
  /** The money that it may be, as long as no statement says how often there is such money. */
  mayBe?: Candidate;
}

/** Money that fits a report equally well: of very many, it does not matter which. */
export const mostCompared = 50;

/**
 * Money that is gathered, to which reports are added that are no other known money: as new money or, where the same kind of message has an equal line already, as money that waits.
 * Where a statement lists the equal one it has counted both, as it has where a further report is proven to be of what it lists.
 */
export function createPlaces(compareGroups: (one: LineGroup, other: LineGroup) => Relation) {
  const known: Candidate[] = [];
  const byKey = new Map<string, Candidate[]>();

  function note(candidate: Candidate, lines: readonly ReportedLine[]): void {
    for (const key of new Set(lines.flatMap((line) => [...proofsOf(line), placeOf(line)]))) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [candidate]);
      else others.push(candidate);
    }
  }

  function join(report: LineGroup, candidate: Candidate): void {
    candidate.lines.push(...report.lines);
    note(candidate, report.lines);
  }

  /** The most alike of those that fit. */
  function find(report: Candidate, keys: readonly string[], fits: (candidate: Candidate) => boolean): Candidate | undefined {
    const fitting = new Set<Candidate>();
    for (const key of keys) {
      for (const candidate of byKey.get(key) ?? []) {
        if (fitting.size === mostCompared) break;
        if (fits(candidate)) fitting.add(candidate);
      }
    }
    const likeness = new Map([...fitting].map((candidate) => [candidate, likenessOfGroups(report, candidate)]));
    const most = Math.max(...likeness.values());
    return [...fitting].find((candidate) => likeness.get(candidate) === most);
  }

  return {
    known,
    join,
    place(report: Candidate, kind: string): void {
      const { lines } = report;
      const equal =
        kind === statementKind
          ? undefined
          : (find(report, lines.flatMap(proofsOf), (candidate) => isListed(candidate) && compareGroups(report, candidate) === 'same') ??
            find(
              report,
              lines.map(placeOf),
              (candidate) =>
                candidate.mayBe === undefined && compareGroups(report, candidate) !== 'other' && isEqualTo(report, candidate, kind),
            ));
      if (equal !== undefined && isListed(equal)) return join(report, equal);
      known.push(Object.assign(report, equal === undefined ? {} : { mayBe: equal }));
      note(report, lines);
    },
  };
}

/** By what a line can be proven to be the money of another. */
function proofsOf({ number, uetr, entry, document }: ReportedLine): string[] {
  return [
    number && `number ${number}`,
    uetr && `uetr ${uetr}`,
    entry.number && `entry ${entry.number}`,
    document.name && `message ${document.name}`,
  ].flatMap((key) => key || []);
}

/** Where an equal line of the same kind of message can be. */
function placeOf({ document, bookedOn }: ReportedLine): string {
  return `${document.kind} ${bookedOn}`;
}

/** Whether the same kind of message has reported such money, and nothing that any message says of it contradicts. */
function isEqualTo({ lines }: Candidate, candidate: Candidate, kind: string): boolean {
  const isOfKind = candidate.lines.some(({ document }) => document.kind === kind);
  return isOfKind && lines.every((line) => candidate.lines.every((other) => ['same', 'possible'].includes(relationOf(line, other))));
}

function isListed({ lines }: LineGroup): boolean {
  return lines.some(({ document }) => document.kind === statementKind);
}
