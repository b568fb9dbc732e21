import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const project = new URL('../', import.meta.url);

/** Builds the pages of the console into `dist/console/`, which `mintrail console` serves (console/README.md). */
export default defineConfig({
  root: fileURLToPath(new URL('console/', project)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('dist/console/', project)),
    emptyOutDir: true,
    // Browsers that know `light-dark()`, by which a token names its two colours.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The polyfill would be a script inside the page; all these browsers preload modules.
    modulePreload: { polyfill: false },
    // A file inside a style sheet or script would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
