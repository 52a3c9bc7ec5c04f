import './style/main.css';
import { render } from 'preact';

const root = document.getElementById('app');
if (root !== null) render(<p>…</p>, root);
