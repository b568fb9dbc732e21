import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { createConsolePages } from '../test/console/support/console-pages.ts';
import type { Results } from './figures.ts';
import { withGeneratedLedger } from './history/history.ts';

const orders = 100_000;
const firstPages = 5;
/** Milliseconds after which the scroll ends where it is. */
const longestScrollMs = 180_000;

/** What one scroll from the first order to the last has shown. */
interface Scroll {
  /** Milliseconds between the frames, those in which the page waits for the server among them. */
  frames: number[];
  /** Milliseconds of the tasks that took longer than 50. */
  longTasks: number[];
  lastRow: number;
  heapBytes: number;
}

/** Measures the console in Chromium, over a generated ledger: how soon its first page can be used, and how smoothly all orders scroll. */
export async function benchConsole(results: Results): Promise<void> {
  await withGeneratedLedger(orders, async (url) => {
    const console = await createConsolePages({ url });
    try {
      await measureFirstPage(console, results);
      const { page } = await console.openAs('viewer', '/orders');
      record(await scrollToEnd(page), results);
    } finally {
      await console.close();
    }
  });
}

async function measureFirstPage(console: Awaited<ReturnType<typeof createConsolePages>>, results: Results): Promise<void> {
  const times: number[] = [];
  for (let count = 0; count < firstPages; count += 1) {
    const { page, context } = await console.openAs('administrator', '/about:blank');
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => void (response.url().includes('/assets/') && bodies.push(response.body())));
    const cache = await context.newCDPSession(page);
    await cache.send('Network.clearBrowserCache');
    const startedAt = performance.now();
    await page.goto(console.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    times.push(performance.now() - startedAt);
    if (count === 0) {
      const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
      results.record('consoleBundle', sizes.reduce((sum, size) => sum + size, 0) / 1_000);
    }
    await context.close();
  }
  results.record('consoleFirstPage', times.toSorted((a, b) => a - b)[Math.floor(firstPages / 2)] ?? Number.NaN);
}

/** Scrolls by one and a half screens a frame, as fast as a wheel that is spun, until there are no more rows. */
async function scrollToEnd(page: Page): Promise<Scroll> {
  page.setDefaultTimeout(120_000);
  await page.getByRole('row').nth(5).waitFor();
  const scroll = await page.evaluate<Omit<Scroll, 'heapBytes'>>(`new Promise((resolve) => {
    const longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ['longtask'] });
    const frames = [];
    let before = performance.now();
    const step = (now) => {
      frames.push(now - before);
      before = now;
      // Attributes only: to ask for a height would make the browser lay the page out once more.
      const count = Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount'));
      const isLast = count !== -1 && document.querySelector('[aria-rowindex="' + count + '"]') !== null;
      if (isLast || now > ${longestScrollMs}) {
        const lastRow = Math.max(...[...document.querySelectorAll('[role=row]')].map((row) => Number(row.getAttribute('aria-rowindex'))));
        return resolve({ frames, longTasks, lastRow });
      }
      window.scrollBy(0, 1200);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { ...scroll, heapBytes: usedSize };
}

function record({ frames, longTasks, lastRow, heapBytes }: Scroll, results: Results): void {
  const seconds = Math.round(frames.reduce((sum, frame) => sum + frame, 0) / 1_000);
  const note = `${(lastRow - 1).toLocaleString('en')} rows in ${seconds} s, ${longTasks.length} tasks longer than 50 ms`;
  const sorted = frames.toSorted((a, b) => a - b);
  results.record('consoleScrollP99', sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, note);
  results.record('consoleScrollLongest', Math.max(0, ...longTasks));
  results.record('consoleScrollMemory', heapBytes / 1_000_000);
}
