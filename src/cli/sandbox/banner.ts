import type { Instance } from './instance.ts';

export interface BannerFacts {
  apiUrl: string;
  rpcUrls: Record<string, string>;
  /** As a person would type it from the project's folder. */
  sandboxFile: string;
  seconds: number;
}

/** What to know and what to do next, when all is up. */
export function renderBanner({ application }: Instance, { apiUrl, rpcUrls, sandboxFile, seconds }: BannerFacts): string {
  const { clientId = '', clientSecret = '' } = application ?? {};
  const chains = Object.entries(rpcUrls).map(([chain, url]) => `  ${chain.padEnd(16)} ${url}`);
  return [
    '',
    `Mintrail is ready (${seconds.toFixed(1)} s)`,
    '',
    `  API              ${apiUrl}`,
    `  documentation    ${apiUrl}/docs`,
    ...chains,
    `  client id        ${clientId}`,
    `  client secret    ${clientSecret}`,
    `  all of it        ${sandboxFile}`,
    '',
    'Get an access token:',
    '',
    `  curl -s ${apiUrl}/auth/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret}`,
    '',
    'Ctrl-C stops. The next `npm start` goes on where this one ended; `npm start -- --fresh` begins anew.',
    '',
  ].join('\n');
}
