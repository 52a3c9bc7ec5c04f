import './style/main.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { App } from './app.tsx';
import { queryClient } from './data/poll.ts';
import { restore } from './data/session.ts';
import { comeBack } from './data/sign-in.ts';
import { showBidi } from './ui/shown-text.ts';
import { applyTheme, theme } from './ui/theme.ts';

showBidi();
applyTheme(theme());
await comeBack();
await restore();
const root = document.getElementById('app');
if (root !== null)
  render(
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>,
    root,
  );
