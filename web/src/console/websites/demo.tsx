import { useEffect, useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { percentText } from '../../shared/format';
import { texts } from '../../shared/texts';
import { call, change, type Session } from '../client';
import { Complaints } from '../forms/field';
import { useTask } from '../forms/use-task';
import { ONLY } from '../only';

const words = texts.console.websites;
const PAUSE_MS = 1000;

interface Progress {
  website_id: number | null;
  sent: number;
  events: number;
  has_failed: boolean;
}

/** What to show of a website. It is null if there is none. */
const ofSite = (id: number | null) => ({ ...ONLY, website: id === null ? undefined : String(id) });

/** Fills a website with demo data and leads to it, if all are there. */
export function Demo({ session }: { session: Session }) {
  const task = useTask();
  const [progress, setProgress] = useState<Progress>();
  const start = () => task.run(async () => setProgress(await change<Progress>(session, 'POST', 'demo')));
  const isRunning = progress !== undefined && !progress.has_failed;
  useEffect(() => {
    if (!isRunning) return;
    const look = async () => {
      const next = await call<Progress | null>('GET', 'demo').catch(() => progress);
      if (next?.has_failed) setProgress(next);
      else if (next) setProgress({ ...next, website_id: next.website_id ?? progress.website_id });
      else go(ofSite(progress.website_id));
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [progress]);
  return (
    <>
      <button class="plain" disabled={isRunning} onClick={start}>
        {words.demo}
      </button>
      <p class="quiet" role="status">
        {isRunning ? words.demoProgress(percentText(progress.sent / progress.events)) : words.demoText}
      </p>
      {progress?.has_failed && progress.website_id !== null && (
        <p class="complaint" role="alert">
          {words.demoFailed}{' '}
          <a {...linkTo({ ...ofSite(progress.website_id), view: 'options' })}>{words.demoOptions}</a>
        </p>
      )}
      <Complaints task={task} />
    </>
  );
}
