/** Loaded before the styles, so that a page is painted once, in the chosen theme. */
try {
  const theme = localStorage.getItem('milepost_theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser without storage uses the system's theme.
}
