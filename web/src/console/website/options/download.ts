import { saveBlob } from '../../../shared/api';
import { Refusal } from '../../client';

/** A link cannot ask for CSV: the API answers by the header Accept. */
export async function downloadCsv(url: string, name: string): Promise<void> {
  const answer = await fetch(url, { headers: { Accept: 'text/csv' } }).catch(() => {
    throw new Refusal(0, '');
  });
  if (!answer.ok) {
    const { detail = '' } = (await answer.json().catch(() => ({}))) as { detail?: string };
    throw new Refusal(answer.status, detail);
  }
  saveBlob(await answer.blob(), name);
}
