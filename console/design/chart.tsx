import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './chart.module.css';
import { formatTime } from './time.tsx';

/** A line of a {@link Chart}; a value that is not known is null. */
export interface Series {
  label: string;
  values: readonly (number | null)[];
}

const heightPx = 200;
const lineWidthPx = 1.75;
/** The custom properties of the lines' colours, and their patterns: they differ without colour, too. */
const lineColors = ['--accent', '--positive', '--attention', '--negative', '--text-soft'];
const lineDashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [1, 2]];
/** Rows of the table beside the picture: enough to read it by, few enough to listen to. */
const tableRows = 24;

/**
 * Lines over time, drawn by uPlot, and the same as a table for those who cannot see them. `times` are seconds since 1970. `format` writes
 * a value, with its unit.
 */
export function Chart({
  label,
  times,
  series,
  format,
  empty,
}: {
  label: string;
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
  empty: ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (!parent || times.length < 2) return undefined;
    return draw(parent, times, series, format);
  }, [times, series, format]);
  if (times.length < 2) return empty;
  return (
    <figure className={styles.figure} aria-label={label}>
      <figcaption className={styles.caption}>{label}</figcaption>
      <div ref={element} className={styles.plot} aria-hidden="true" />
      <details className={styles.alternative}>
        <summary>
          As a table<span className="visually-hidden">: {label}</span>
        </summary>
        <ChartTable label={label} times={times} series={series} format={format} />
      </details>
    </figure>
  );
}

function ChartTable({
  label,
  times,
  series,
  format,
}: {
  label: string;
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
}) {
  const step = Math.max(1, Math.ceil(times.length / tableRows));
  const indexes = times.map((_, index) => index).filter((index) => (times.length - 1 - index) % step === 0);
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map((line) => (
            <th key={line.label} scope="col">
              {line.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {indexes.map((index) => (
          <tr key={index}>
            <th scope="row">{formatTime(new Date((times[index] ?? 0) * 1000).toISOString())}</th>
            {series.map(({ label: name, values }) => (
              <td key={name}>{typeof values[index] === 'number' ? format(values[index]) : '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Draws into an element, again when its size or the theme changes. Returns what removes it. */
function draw(parent: HTMLElement, times: readonly number[], series: readonly Series[], format: (value: number) => string): () => void {
  let plot: uPlot | undefined;
  const render = () => {
    plot?.destroy();
    plot = new uPlot(optionsOf(parent, series, format), [[...times], ...series.map(({ values }) => [...values])], parent);
  };
  render();
  const sizes = new ResizeObserver(() => plot?.setSize({ width: parent.clientWidth, height: heightPx }));
  sizes.observe(parent);
  const themes = new MutationObserver(render);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = window.matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', render);
  return () => {
    sizes.disconnect();
    themes.disconnect();
    scheme.removeEventListener('change', render);
    plot?.destroy();
  };
}

function optionsOf(parent: HTMLElement, series: readonly Series[], format: (value: number) => string): uPlot.Options {
  const color = (property: string) => resolveColor(parent, property);
  const axis = {
    stroke: color('--text-soft'),
    font: `11px ${getComputedStyle(parent).fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: parent.clientWidth,
    height: heightPx,
    // On the right half of a time, such as 10:00 AM, stands beside the plot.
    padding: [8, 28, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { live: true, markers: { width: 2 } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 72,
        values: (_plot, splits, _index, _space, stepSeconds) => splits.map((seconds) => formatTick(seconds, stepSeconds)),
      },
      { ...axis, size: (_plot, values) => axisWidth(values), values: (_plot, splits) => splits.map(format) },
    ],
    series: [
      {
        label: 'Time',
        value: (_plot, seconds) => (typeof seconds === 'number' ? formatTime(new Date(seconds * 1000).toISOString()) : '–'),
      },
      ...series.map(({ label }, index) => ({
        label,
        stroke: color(lineColors[index % lineColors.length] ?? '--accent'),
        dash: lineDashes[index % lineDashes.length] ?? [],
        width: lineWidthPx,
        points: { show: false },
        value: (_plot: uPlot, value: number | null) => (typeof value === 'number' ? format(value) : '–'),
      })),
    ],
  };
}

const daySeconds = 86_400;
const tickFormats = {
  time: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
};

/** A point of the time axis as the reader writes times: its day when a day or more is between the points. Between two minutes stands nothing. */
function formatTick(seconds: number, stepSeconds: number): string {
  if (seconds % 60 !== 0) return '';
  return tickFormats[stepSeconds >= daySeconds ? 'day' : 'time'].format(new Date(seconds * 1000));
}

/** uPlot draws on a canvas, which knows no custom properties. */
function resolveColor(parent: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const characterWidthPx = 6.5;

function axisWidth(values: readonly string[] | null): number {
  return 16 + characterWidthPx * Math.max(1, ...(values ?? []).map(({ length }) => length));
}
