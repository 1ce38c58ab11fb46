import { useEffect, useState } from 'preact/hooks';
import { go } from '../../shared/address';
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
}

/** Fills a website with demo data and leads to it. */
export function Demo({ session }: { session: Session }) {
  const task = useTask();
  const [progress, setProgress] = useState<Progress>();
  const start = () => task.run(async () => setProgress(await change<Progress>(session, 'POST', 'demo')));
  useEffect(() => {
    if (!progress) return;
    const look = async () => {
      const next = await call<Progress | null>('GET', 'demo').catch(() => progress);
      if (next) setProgress({ ...next, website_id: next.website_id ?? progress.website_id });
      else go({ ...ONLY, website: progress.website_id === null ? undefined : String(progress.website_id) });
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [progress]);
  return (
    <>
      <button class="plain" disabled={progress !== undefined} onClick={start}>
        {words.demo}
      </button>
      <p class="quiet" role="status">
        {progress ? words.demoProgress(percentText(progress.sent / progress.events)) : words.demoText}
      </p>
      <Complaints task={task} />
    </>
  );
}
