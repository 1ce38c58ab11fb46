import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './api';
import { Trouble } from './notices';

/** A component that is loaded when it is first shown, because few visits of the console need it. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading');
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    // A newer release has other files, which only a reload finds.
    if (state === 'failed')
      return <Trouble failure={new Failure('offline')} retry={() => location.reload()} />;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
