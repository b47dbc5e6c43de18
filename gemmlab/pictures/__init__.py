"""Pictures and tables for notebooks. Matplotlib is imported when a picture is drawn, not before."""
