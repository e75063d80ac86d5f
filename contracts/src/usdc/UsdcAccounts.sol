// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Balances, the blacklist and the pause of the stand-in.
/// @dev As in FiatTokenV2_2, the blacklist flag is stored in the word of the balance. So batches share and warm the
/// same slots as with Circle's token, and gas figures can be compared.
abstract contract UsdcAccounts {
    /// @dev Highest bit: blacklisted. Other bits: balance in micro-USDC.
    mapping(address account => uint256) private _accounts;
    address public pauser;
    bool public paused;
    address public blacklister;

    event Pause();
    event Unpause();
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    modifier onlyPauser() {
        require(msg.sender == pauser, "Pausable: caller is not the pauser");
        _;
    }

    modifier notBlacklisted(address account) {
        require(!isBlacklisted(account), "Blacklistable: account is blacklisted");
        _;
    }

    modifier onlyBlacklister() {
        require(msg.sender == blacklister, "Blacklistable: caller is not the blacklister");
        _;
    }

    function pause() external onlyPauser {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyPauser {
        paused = false;
        emit Unpause();
    }

    function blacklist(address account) external onlyBlacklister {
        _setBlacklisted(account, true);
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyBlacklister {
        _setBlacklisted(account, false);
        emit UnBlacklisted(account);
    }

    function isBlacklisted(address account) public view returns (bool) {
        return _accounts[account] >> 255 == 1;
    }

    function _balanceOf(address account) internal view returns (uint256) {
        return _accounts[account] & (type(uint256).max >> 1);
    }

    function _setBlacklisted(address account, bool blacklisted) internal {
        if (blacklisted) _accounts[account] |= 1 << 255;
        else _accounts[account] = _balanceOf(account);
    }

    function _setBalance(address account, uint256 balance) internal {
        require(balance <= type(uint256).max >> 1, "FiatTokenV2_2: Balance exceeds (2^255 - 1)");
        require(!isBlacklisted(account), "FiatTokenV2_2: Account is blacklisted");
        _accounts[account] = balance;
    }

    /// @dev Circle's token uses SafeMath, which reverts with this text instead of a panic.
    function _add(uint256 a, uint256 b) internal pure returns (uint256 sum) {
        unchecked {
            sum = a + b;
        }
        require(sum >= a, "SafeMath: addition overflow");
    }
}
