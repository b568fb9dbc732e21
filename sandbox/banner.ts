import type { Instance } from './instance.ts';

/** What the banner shows; `seconds` is how long the start took. */
export interface BannerFacts {
  apiUrl: string;
  /** The link that signs in to the console. */
  consoleLink: string;
  rpcUrls: Record<string, string>;
  /** Path relative to the current folder. */
  sandboxFile: string;
  seconds: number;
}

/** The text that `npm start` prints when the sandbox is ready. */
export function renderBanner({ application }: Instance, { apiUrl, consoleLink, rpcUrls, sandboxFile, seconds }: BannerFacts): string {
  const { clientId = '', clientSecret = '' } = application ?? {};
  const chains = Object.entries(rpcUrls).map(([chain, url]) => `  ${chain.padEnd(16)} ${url}`);
  return [
    '',
    `Mintrail is ready (${seconds.toFixed(1)} s)`,
    '',
    `  API              ${apiUrl}`,
    `  documentation    ${apiUrl}/docs`,
    `  console          ${consoleLink}`,
    ...chains,
    `  client id        ${clientId}`,
    `  client secret    ${clientSecret}`,
    `  more, as JSON    ${sandboxFile}`,
    '',
    'Get an access token:',
    '',
    `  curl -s ${apiUrl}/auth/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret}`,
    '',
    'Ctrl-C stops the sandbox. The next `npm start` continues with the same data; `npm start -- --fresh` starts with empty data.',
    '',
  ].join('\n');
}
