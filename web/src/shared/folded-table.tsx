import type { ComponentChildren } from 'preact';
import { texts } from './texts';

interface Props {
  /** The line that opens the table. */
  title?: string;
  kind?: string;
  columns: string[];
  /** The rows. */
  children: ComponentChildren;
}

/** A table behind a line that opens it, by default the numbers of a drawing. */
export function FoldedTable({ title = texts.chart.asTable, kind, columns, children }: Props) {
  return (
    <details>
      <summary>{title}</summary>
      <div class="scrolls" tabIndex={0} role="region" aria-label={title}>
        <table class={kind}>
          <thead>
            <tr>
              {columns.map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </details>
  );
}
