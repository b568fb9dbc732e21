import type { CampaignResult, Finding } from './campaign.ts';

/** The counts of a campaign as lines: each operation and each caller with its answers by status. */
export function renderCounts({ counts }: CampaignResult): string[] {
  return [...countsBy(counts, 'operation'), ...countsBy(counts, 'caller')];
}

function countsBy(counts: CampaignResult['counts'], column: 'operation' | 'caller'): string[] {
  const groups = [...Map.groupBy(counts, (count) => count[column])].toSorted(([a], [b]) => a.localeCompare(b));
  const lines = groups.map(([name, of]) => `  ${name.padEnd(62)} ${String(of.length).padStart(6)}  ${renderStatuses(of)}`);
  return [`by ${column}:`, ...lines];
}

/** 0 stands for a connection that was closed without an answer, because the request was cut off. */
function renderStatuses(counts: CampaignResult['counts']): string {
  const byStatus = [...Map.groupBy(counts, ({ status }) => status)].toSorted(([a], [b]) => a - b);
  return byStatus.map(([status, of]) => `${status}: ${of.length}`).join(', ');
}

/** A finding as a person reads it, with a command that sends the request again. */
export function renderFinding({ number, caller, operation, mutations, problem, status, command, answer }: Finding, seed: number): string {
  const how = mutations.length === 0 ? 'as it is' : `with ${mutations.join(', ')}`;
  return `FINDING ${problem}\n  seed ${seed}, request ${number}: ${operation} by ${caller}, ${how}, answered ${status}\n  ${command}\n  ${answer.replaceAll('\n', '\n  ')}`;
}
