import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** These prove the store of hits itself or its schema, or change it for the others. */
const INSIDE_STORE = [
  'test/engine/**',
  'test/full/engine/**',
  'test/e2e/migrations.e2e-spec.ts',
  'test/support/store-hooks.ts',
];
const TABLE_OF_STORE =
  '(hit_|batch_visitors|rollup|checkpoint|value_texts|day_visitors|counting\\b|closed_days|followed_|inbox\\b|event_ids|dropped_events)';
const STATEMENT_OF_STORE = `/\\b(FROM|INTO|JOIN|ON|TABLES?|UPDATE|VIEW) ${TABLE_OF_STORE}/`;

export default tseslint.config(
  {
    ignores: [
      'dist',
      'node_modules',
      'data',
      'test/generated-clients',
      'clients/*/dist',
      'clients/*/src/openapi.ts',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_+$' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      'no-control-regex': 'off',
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 12],
    },
  },
  {
    // It never measures again an object that grew; ByteCache does.
    ignores: ['engine/ground/memory/byte-cache.ts'],
    rules: { 'no-restricted-imports': ['error', { name: 'lru-cache', message: 'Use ByteCache.' }] },
  },
  {
    files: ['test/**', '**/*.spec.ts', 'src/database/migrations/**'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-properties': [
        'error',
        { property: 'waitForFunction', message: 'Use untilTrue.' },
        ...['it', 'describe'].map((object) => ({
          object,
          property: 'only',
          message: 'The rest would not run.',
        })),
      ],
    },
  },
  {
    // What an answer holds is JSON, and what a test expects of it is its business.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: INSIDE_STORE,
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          `Literal[value=${STATEMENT_OF_STORE}]`,
          `Literal[regex.pattern=${STATEMENT_OF_STORE}]`,
          `TemplateElement[value.raw=${STATEMENT_OF_STORE}]`,
          `CallExpression[callee.name=/^insert/] > Literal[value=/^${TABLE_OF_STORE}/]`,
        ].map((selector) => ({ selector, message: 'Use support/past-days or support/store-hooks.' })),
      ],
    },
  },
  { files: ['**/*.mjs', '**/*.cjs', '*.js'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.mjs', '**/*.cjs', '*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        module: 'writable',
      },
    },
  },
);
