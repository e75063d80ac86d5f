// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {UsdcTransfers} from "./UsdcTransfers.sol";

/// @title Minters of the stand-in, each with an allowance that its mints use up.
abstract contract UsdcMinting is UsdcTransfers {
    uint256 public totalSupply;
    address public masterMinter;
    mapping(address account => bool) public isMinter;
    /// @notice Micro-USDC that the minter may still mint.
    mapping(address minter => uint256) public minterAllowance;

    event Mint(address indexed minter, address indexed to, uint256 amount);
    event MinterConfigured(address indexed minter, uint256 minterAllowedAmount);
    event MinterRemoved(address indexed oldMinter);

    modifier onlyMinters() {
        require(isMinter[msg.sender], "FiatToken: caller is not a minter");
        _;
    }

    modifier onlyMasterMinter() {
        require(msg.sender == masterMinter, "FiatToken: caller is not the masterMinter");
        _;
    }

    function mint(address to, uint256 amount)
        external
        whenNotPaused
        onlyMinters
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        require(to != address(0), "FiatToken: mint to the zero address");
        require(amount > 0, "FiatToken: mint amount not greater than 0");
        require(amount <= minterAllowance[msg.sender], "FiatToken: mint amount exceeds minterAllowance");
        totalSupply = _add(totalSupply, amount);
        _setBalance(to, _add(_balanceOf(to), amount));
        minterAllowance[msg.sender] -= amount;
        emit Mint(msg.sender, to, amount);
        emit Transfer(address(0), to, amount);
        return true;
    }

    /// @notice Add a minter, or replace the allowance of one.
    function configureMinter(address minter, uint256 minterAllowedAmount)
        external
        whenNotPaused
        onlyMasterMinter
        returns (bool)
    {
        _configureMinter(minter, minterAllowedAmount);
        return true;
    }

    function removeMinter(address minter) external onlyMasterMinter returns (bool) {
        isMinter[minter] = false;
        minterAllowance[minter] = 0;
        emit MinterRemoved(minter);
        return true;
    }

    function _configureMinter(address minter, uint256 allowed) internal {
        isMinter[minter] = true;
        minterAllowance[minter] = allowed;
        emit MinterConfigured(minter, allowed);
    }
}
