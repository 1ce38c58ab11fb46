import { render } from 'preact';
import { Console } from './console/console';
import { language, renewCookie } from './shared/language/language';
import './styles.css';

document.documentElement.lang = language;
renewCookie();

const app = document.getElementById('app')!;
const { timezone = 'UTC', base, geography, version = '', command = '', hits } = app.dataset;

render(
  <Console
    timezone={timezone}
    base={base ?? new URL('.', location.href).href.replace(/\/$/, '')}
    attributesGeography={geography === 'db-ip'}
    lacksPlaces={geography === undefined}
    version={version}
    command={command}
    hasRows={hits === 'rows'}
  />,
  app,
);
