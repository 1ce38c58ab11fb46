export { NoteForm } from './note-form';
export { NoteList } from './note-list';
