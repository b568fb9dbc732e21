import { type AreOther, type LineGroup, likenessOfGroups } from './match-groups.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';

/** Money that fits a report equally well: of very many, it does not matter which. */
export const mostCompared = 50;

/** Money that is gathered, by the kinds of message and the days in which it is reported. */
export function createPlaces(areOther: AreOther) {
  const known: LineGroup[] = [];
  const byPlace = new Map<string, LineGroup[]>();

  function note(group: LineGroup, lines: readonly ReportedLine[]): void {
    for (const key of new Set(lines.map(placeOf))) {
      const others = byPlace.get(key);
      if (others === undefined) byPlace.set(key, [group]);
      else others.push(group);
    }
  }

  function join(report: LineGroup, group: LineGroup): void {
    group.lines.push(...report.lines);
    note(group, report.lines);
  }

  function add(report: LineGroup): void {
    known.push(report);
    note(report, report.lines);
  }

  /** The most alike of those that the same kind of message has reported. */
  function findEqual(report: LineGroup): LineGroup | undefined {
    const fitting = new Set<LineGroup>();
    for (const key of report.lines.map(placeOf)) {
      for (const group of byPlace.get(key) ?? []) {
        if (fitting.size === mostCompared) break;
        if (!areOther(report, group)) fitting.add(group);
      }
    }
    const likeness = new Map([...fitting].map((group) => [group, likenessOfGroups(report, group)]));
    const most = Math.max(...likeness.values());
    return [...fitting].find((group) => likeness.get(group) === most);
  }

  return {
    known,
    join,
    add,
    /** Adds what is no other known money as new, unless the same kind of message has an equal line already, and a statement lists that: it has counted both. */
    addUnlessCounted(report: LineGroup): void {
      const equal = findEqual(report);
      if (equal?.lines.some(({ document }) => document.kind === statementKind) === true) join(report, equal);
      else add(report);
    },
  };
}

/** Where an equal line of the same kind of message can be. */
function placeOf({ document, bookedOn }: ReportedLine): string {
  return `${document.kind} ${bookedOn}`;
}
