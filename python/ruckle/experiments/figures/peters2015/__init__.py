"""The figures and tables of C. Peters, A Method for Real-Time Dynamic Cloth Wrinkling, 2015."""
