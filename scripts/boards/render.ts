import type { Board, Panel, PanelUnit } from './board.ts';

/** The uid of the data source in deploy/grafana/provisioning. */
const datasource = { type: 'prometheus', uid: 'mintrail-prometheus' };

/** Grafana's names; what it has none for is a suffix. */
const grafanaUnits: Record<PanelUnit, string> = {
  short: 'short',
  s: 's',
  reqps: 'reqps',
  currency: 'locale',
  gwei: 'suffix: gwei',
  eth: 'suffix: coins',
  blocks: 'locale',
};

/** A board is 24 columns wide. */
const boardWidth = 24;

const sizes = { timeseries: { w: 12, h: 8 }, stat: { w: 6, h: 4 } } as const;

/** A board in Grafana's classic dashboard model, which every version from 9 on takes. */
export function renderBoard({ name, title, description, rows }: Board): string {
  const board = {
    uid: `mintrail-${name}`,
    title,
    description,
    tags: ['mintrail'],
    timezone: 'browser',
    editable: false,
    graphTooltip: 1,
    refresh: '15s',
    schemaVersion: 41,
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [] },
    annotations: { list: [] },
    links: [{ title: 'Boards', type: 'dashboards', tags: ['mintrail'], asDropdown: false, keepTime: true }],
    panels: placePanels(rows),
  };
  return `${JSON.stringify(board, null, 2)}\n`;
}

function placePanels(rows: Board['rows']): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const [title, panels] of rows) {
    placed.push({ id: placed.length + 1, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: boardWidth, h: 1 } });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of panels) {
      const { w, h } = sizes[panel.kind];
      if (x + w > boardWidth) [x, y, height] = [0, y + height, 0];
      placed.push(renderPanel(panel, placed.length + 1, { x, y, w, h }));
      [x, height] = [x + w, Math.max(height, h)];
    }
    y += height;
  }
  return placed;
}

function renderPanel({ title, description, kind, unit, queries, badFrom }: Panel, id: number, gridPos: object): object {
  const steps = [{ color: 'green', value: null }, ...(badFrom === undefined ? [] : [{ color: 'red', value: badFrom }])];
  return {
    id,
    type: kind,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: {
      defaults: { unit: grafanaUnits[unit], thresholds: { mode: 'absolute', steps }, ...(kind === 'timeseries' ? { custom: lines } : {}) },
      overrides: [],
    },
    options:
      kind === 'stat' ? statOptions : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(([expr, legendFormat], index) => ({ refId: String.fromCodePoint(65 + index), datasource, expr, legendFormat })),
  };
}

const lines = { lineWidth: 1, fillOpacity: 8, showPoints: 'never' };

const statOptions = { colorMode: 'value', graphMode: 'area', reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } };
