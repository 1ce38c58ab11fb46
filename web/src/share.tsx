import { render } from 'preact';
import { Statistics } from './statistics';
import './styles.css';

const app = document.getElementById('app')!;
const { domain = '', timezone = 'UTC', geography, embed } = app.dataset;

render(
  <Statistics
    domain={domain}
    timezone={timezone}
    questions={{ stats: `${location.pathname}/api/stats`, summary: `${location.pathname}/api/summary` }}
    isEmbedded={embed !== undefined}
    attributesGeography={geography === 'db-ip'}
  />,
  app,
);
