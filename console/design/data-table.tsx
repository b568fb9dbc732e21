import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import styles from './data-table.module.css';
import { Icon } from './icon.tsx';

/** A column of a {@link DataTable}. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** `end` for amounts and counts. */
  align?: 'start' | 'end';
  /** A track of a CSS grid, such as `8rem` or `minmax(6rem, 1fr)`; `minmax(6rem, 1fr)` unless it is set. */
  width?: string;
  /** Whether the server can sort by it; its id is then what `onSort` is called with. */
  sortable?: boolean;
  /** Left out on a narrow screen, where a row is a card. */
  wideOnly?: boolean;
}

/** By which column the server has sorted. */
export interface Sort {
  column: string;
  direction: 'ascending' | 'descending';
}

/** What a {@link DataTable} shows. */
export interface DataTableProps<Row> {
  /** What the rows are, for assistive technology. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Called by a click on a row and by Enter. */
  onOpen?: (row: Row) => void;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Whether there are more rows than are loaded. */
  hasMore?: boolean;
  /** Called when the end comes into sight. Without it nothing is loaded for now. */
  onLoadMore?: (() => Promise<unknown>) | undefined;
  isLoading?: boolean;
  /** Shown instead of no rows. */
  empty: ReactNode;
}

const estimatedRowHeightPx = 40;
const estimatedCardHeightPx = 132;
const narrowScreen = '(max-width: 48rem)';
/** Rows beyond the edge of the screen that are rendered, and before whose end more are loaded. */
const overscan = 12;

/**
 * Rows that are rendered only where they are seen: a hundred thousand scroll as smoothly as ten. The arrow keys, Home, End and the page
 * keys move from row to row, Enter opens one. On a narrow screen each row is a card.
 */
export function DataTable<Row>({ columns, rows, rowKey, ...props }: DataTableProps<Row>) {
  const body = useRef<HTMLDivElement>(null);
  const scrollMargin = useOffsetTop(body, rows.length > 0);
  const isNarrow = useMediaQuery(narrowScreen);
  // The virtualizer lays all rows out anew whenever this function is another one: with each frame, were it made by each rendering.
  const getItemKey = useCallback((index: number) => rowKey(rows[index] as Row), [rows]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? estimatedCardHeightPx : estimatedRowHeightPx),
    getItemKey,
    overscan,
    scrollMargin,
  });
  const { onRowKeyDown, activeIndex, setActiveIndex } = useRowKeys(rows.length, (index) => virtualizer.scrollToIndex(index), body);
  const items = virtualizer.getVirtualItems();
  useLoadMore((items.at(-1)?.index ?? 0) >= rows.length - overscan, props);

  if (rows.length === 0 && !props.isLoading) return props.empty;
  const template = columns.map(({ width = 'minmax(6rem, 1fr)' }) => width).join(' ');
  return (
    <div className={styles.scroller}>
      <div
        role="grid"
        aria-label={props.label}
        aria-rowcount={props.hasMore ? -1 : rows.length + 1}
        aria-busy={props.isLoading ?? false}
        className={styles.table}
        style={{ '--columns': template }}
      >
        <HeaderRow columns={columns} sort={props.sort} onSort={props.onSort} />
        <div role="rowgroup" ref={body} className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index] as Row;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                role="row"
                aria-rowindex={index + 2}
                tabIndex={index === activeIndex ? 0 : -1}
                className={classNames(styles.row, props.onOpen && styles.opens)}
                style={{ transform: `translateY(${start - scrollMargin}px)` }}
                onFocus={() => setActiveIndex(index)}
                onClick={(event) => isPlainClick(event) && props.onOpen?.(row)}
                onKeyDown={(event) => onRowKeyDown(event, index, () => props.onOpen?.(row))}
              >
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {props.isLoading && (
        <p className={styles.loading} role="status">
          Loading…
        </p>
      )}
    </div>
  );
}

function HeaderRow<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" className={styles.headRow} aria-rowindex={1}>
        {columns.map(({ id, header, align, sortable }) => {
          const direction = sort?.column === id ? sort.direction : undefined;
          const className = classNames(styles.headCell, align === 'end' && styles.end);
          if (!sortable || !onSort) {
            return (
              <div key={id} role="columnheader" className={className}>
                {header}
              </div>
            );
          }
          return (
            <div key={id} role="columnheader" aria-sort={direction ?? 'none'} className={className}>
              <button
                type="button"
                className={styles.sort}
                onClick={() => onSort({ column: id, direction: direction === 'descending' ? 'ascending' : 'descending' })}
              >
                {header}
                <span className={direction ? styles.sorted : styles.unsorted}>
                  <Icon name={direction === 'ascending' ? 'up' : 'down'} size={12} />
                </span>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { align, header, wideOnly } = column;
  return (
    <div role="gridcell" className={classNames(styles.cell, align === 'end' && styles.end, wideOnly && styles.wideOnly)}>
      <span className={styles.cardName} aria-hidden="true">
        {header}
      </span>
      <span className={styles.value}>{column.cell(row)}</span>
    </div>
  );
}

/** One row is in the order of focus; keys move it. */
function useRowKeys(count: number, scrollTo: (index: number) => void, body: React.RefObject<HTMLDivElement | null>) {
  const [activeIndex, setActiveIndex] = useState(0);
  const awaited = useRef<number>(undefined);
  const focusRow = (index: number) => {
    awaited.current = index;
    setActiveIndex(index);
    scrollTo(index);
  };
  // The row may first have to be rendered, which can take several frames.
  useEffect(() => {
    if (awaited.current === undefined) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${awaited.current}"]`);
    if (!row) return;
    awaited.current = undefined;
    row.focus({ preventScroll: true });
  });
  const onRowKeyDown = (event: KeyboardEvent, index: number, open: () => void) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') return open();
    const target = targetOfKey(event.key, index, count);
    if (target === undefined) return;
    event.preventDefault();
    focusRow(target);
  };
  return { activeIndex: Math.min(activeIndex, Math.max(0, count - 1)), setActiveIndex, onRowKeyDown };
}

function targetOfKey(key: string, index: number, count: number): number | undefined {
  const last = count - 1;
  const rowsOfPage = Math.max(1, Math.floor(window.innerHeight / estimatedRowHeightPx) - 4);
  if (key === 'ArrowDown') return Math.min(last, index + 1);
  if (key === 'ArrowUp') return Math.max(0, index - 1);
  if (key === 'PageDown') return Math.min(last, index + rowsOfPage);
  if (key === 'PageUp') return Math.max(0, index - rowsOfPage);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return undefined;
}

function useLoadMore(
  endIsNear: boolean,
  { hasMore = false, isLoading = false, onLoadMore }: Pick<DataTableProps<never>, 'hasMore' | 'isLoading' | 'onLoadMore'>,
): void {
  useEffect(() => {
    if (endIsNear && hasMore && !isLoading) void onLoadMore?.();
  }, [endIsNear, hasMore, isLoading, onLoadMore]);
}

/**
 * How far below the beginning of the document an element is, also after what is above it has changed. It is not read after each rendering: the browser would
 * lay the page out once more with each frame of scrolling.
 */
function useOffsetTop(element: React.RefObject<HTMLElement | null>, isThere: boolean): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setOffset(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isThere]);
  return offset;
}

function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}

/** Links and buttons inside of a row do their own; somebody who marks a text wants to copy it. */
function isPlainClick(event: React.MouseEvent): boolean {
  const isControl = (event.target as Element).closest('a, button, input, select, label, summary') !== null;
  return !isControl && (window.getSelection()?.isCollapsed ?? true);
}
