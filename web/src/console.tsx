import { render } from 'preact';
import { Console } from './console/console';
import './styles.css';

const app = document.getElementById('app')!;
const { timezone = 'UTC', base, geography } = app.dataset;

render(
  <Console
    timezone={timezone}
    base={base ?? new URL('.', location.href).href.replace(/\/$/, '')}
    attributesGeography={geography === 'db-ip'}
  />,
  app,
);
