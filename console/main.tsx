import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import './design/tokens.css';
import './design/base.css';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();

const root = document.getElementById('console');
if (!root) throw new Error('The page has no element for the console');
createRoot(root).render(
  <StrictMode>
    {/* Styles come from our own files alone: the content security policy has no `unsafe-inline`. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
